/** Milliseconds of the machine's monotonic clock, the same for every process of one boot; no clock change moves it. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);
