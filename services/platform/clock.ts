/** Time of the process. Never decides about leases or money: there the database's clock does. */
export interface Clock { now(): number }
export const systemClock: Clock = { now: () => Date.now() };
