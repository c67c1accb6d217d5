/** Wakes one loop: a call while it works is not lost, many calls are one. */
export class Latch {
  #open = false;
  #wake: (() => void) | undefined;

  open(): void {
    this.#open = true;
    this.#wake?.();
  }

  /** Until it is opened, `ms` have passed or `signal` is aborted; closes it. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#open && !signal.aborted && ms > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
        this.#wake = done;
        function done(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        }
      });
      this.#wake = undefined;
    }
    this.#open = false;
  }
}
