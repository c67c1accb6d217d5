/** Errors of the control socket: application/problem+json with the codes of the registry, and those of checkpoints. */
import { errorRegistry, type ErrorCode, type FieldError } from '#services/platform/errors.ts';

const checkpointProblems = {
  checkpoint_fenced: { status: 409, title: 'This epoch may publish nothing any more', retryable: false, remedy: 'Stop at once: the job goes on in a newer epoch, or has ended.' },
  checkpoint_incomplete: { status: 409, title: 'Not every rank has reported its shards', retryable: true, remedy: 'Report the missing ranks’ shards of this step, then ask again.' },
  checkpoint_step_not_newer: { status: 409, title: 'A checkpoint of this step or a later one is committed', retryable: false, remedy: 'Go on; commit a later step.' },
  checkpoint_shard_refused: { status: 422, title: 'A file can’t be a shard', retryable: false, remedy: 'Write plain files below MUSTER_CHECKPOINT_DIR and don’t change them once reported.' },
} as const;

export type ControlCode = ErrorCode | keyof typeof checkpointProblems;

export class ControlProblem extends Error {
  readonly code: ControlCode;
  readonly errors: readonly FieldError[];

  constructor(code: ControlCode, detail: string, errors: readonly FieldError[] = []) {
    super(detail);
    this.name = 'ControlProblem';
    this.code = code;
    this.errors = errors;
  }

  get status(): number { return entryOf(this.code).status; }

  toJSON(): unknown {
    const { status, title, retryable, remedy } = entryOf(this.code);
    return {
      type: `urn:muster:error:${this.code}`, code: this.code, status, title, detail: this.message, retryable, remedy,
      ...this.errors.length > 0 ? { errors: this.errors } : {},
    };
  }
}

const entryOf = (code: ControlCode): { status: number; title: string; retryable: boolean; remedy: string } =>
  code in checkpointProblems ? checkpointProblems[code as keyof typeof checkpointProblems] : errorRegistry[code as ErrorCode];

export const invalid = (pointer: string, detail: string): ControlProblem => new ControlProblem('invalid_request', `${pointer} ${detail}`, [{ pointer, detail }]);
