/** Exit codes of the program, after sysexits.h. 0 means that the training is complete and its result committed. */
export const exits = {
  done: 0,
  usage: 64,
  checkpointUnreadable: 65,
  peerLost: 69,
  internal: 70,
  notCommitted: 74,
  stopped: 75,
  fenced: 77,
} as const;

/** An end of the program with a documented code. */
export class Exit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
