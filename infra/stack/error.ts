/** What went wrong in the local stack and what the user can do; shown without a stack trace. */
export class StackError extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'StackError';
    this.remedy = remedy;
  }
}

export const describe = (error: unknown): string =>
  error instanceof StackError ? `${error.message}\n  → ${error.remedy}` : error instanceof Error ? error.message : String(error);
