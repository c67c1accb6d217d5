/** A bounded number of requests under way and waiting, so that a storm costs neither memory nor the database. */
export class Requests<T> {
  readonly #inFlightMax: number;
  readonly #handle: (request: T) => Promise<void>;
  readonly #waiting: T[] = [];
  #inFlight = 0;
  #onIdle: (() => void)[] = [];

  /** @param handle must not throw */
  constructor({ inFlightMax }: { readonly inFlightMax: number }, handle: (request: T) => Promise<void>) {
    this.#inFlightMax = inFlightMax;
    this.#handle = handle;
  }

  take(request: T): void {
    this.#waiting.push(request);
    // The oldest one's sender is the nearest to its time-out: answering it would be wasted.
    if (this.#waiting.length > this.#inFlightMax && this.#inFlight >= this.#inFlightMax) this.#waiting.shift();
    this.#startWaiting();
  }

  /** Resolves when nothing is under way or waiting. */
  async idle(): Promise<void> {
    if (this.#inFlight === 0 && this.#waiting.length === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #startWaiting(): void {
    while (this.#inFlight < this.#inFlightMax) {
      const request = this.#waiting.shift();
      if (request === undefined) break;
      this.#inFlight += 1;
      void this.#handle(request).finally(() => {
        this.#inFlight -= 1;
        this.#startWaiting();
      });
    }
    if (this.#inFlight === 0 && this.#waiting.length === 0) {
      for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }
}
