/**
 * Does in one go what many callers ask for at the same time: under load a statement for two hundred instead of two
 * hundred statements, on an idle process at once. Nothing is cached: `work` begins after each of its items was asked for.
 */
export interface GatherLimits {
  /** calls of `work` at a time: one commits while the next is prepared */
  readonly lanesMax: number;
  /** items of one call */
  readonly itemsMax: number;
}

/** @param work  answers each item, in their order; what it throws, it throws for all of its items */
export function gather<Item, Answer>({ lanesMax, itemsMax }: GatherLimits, work: (items: readonly Item[]) => Promise<readonly Answer[]>): (item: Item) => Promise<Answer> {
  const waiting: { readonly item: Item; readonly settled: PromiseWithResolvers<Answer> }[] = [];
  let lanes = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || lanes >= lanesMax || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => { // after every request of this turn of the event loop has come in
      isScheduled = false;
      void run();
      schedule();
    });
  };

  const run = async (): Promise<void> => {
    const taken = waiting.splice(0, itemsMax);
    lanes++;
    try {
      const answers = await work(taken.map(({ item }) => item));
      taken.forEach(({ settled }, index) => settled.resolve(answers[index] as Answer));
    } catch (error) {
      for (const { settled } of taken) settled.reject(error);
    } finally {
      lanes--;
      schedule();
    }
  };

  return (item) => {
    const settled = Promise.withResolvers<Answer>();
    waiting.push({ item, settled });
    schedule();
    return settled.promise;
  };
}
