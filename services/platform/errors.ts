/**
 * The registry of errors: code, HTTP status, title, whether a repetition can help, and the remedy.
 * Answers are application/problem+json (RFC 9457); `pointer` names the bad field as a JSON pointer.
 */
interface Entry { readonly status: number; readonly title: string; readonly retryable: boolean; readonly remedy: string }

export const errorRegistry = {
  malformed_json: { status: 400, title: 'The body is not JSON', retryable: false, remedy: 'Send a valid JSON document with content-type application/json.' },
  invalid_request: { status: 400, title: 'The request does not fit its schema', retryable: false, remedy: 'Correct the fields named in errors; GET /openapi.json has the schema.' },
  invalid_cursor: { status: 400, title: 'The page token is not one of ours', retryable: false, remedy: 'Start again without page_token.' },
  unauthenticated: { status: 401, title: 'No valid API key', retryable: false, remedy: 'Send Authorization: Bearer <key>.' },
  forbidden: { status: 403, title: 'The key may not do this', retryable: false, remedy: 'Use a key with the scope that is named in detail.' },
  job_not_found: { status: 404, title: 'No such job', retryable: false, remedy: 'Check the id with GET /v1/jobs.' },
  node_not_found: { status: 404, title: 'No such node', retryable: false, remedy: 'Check the name with GET /v1/nodes.' },
  team_not_found: { status: 404, title: 'No such team', retryable: false, remedy: 'Check the name with GET /v1/teams.' },
  attempt_not_found: { status: 404, title: 'No such attempt', retryable: false, remedy: 'GET /v1/jobs/{job}/attempts lists them.' },
  checkpoint_not_found: { status: 404, title: 'No such checkpoint', retryable: false, remedy: 'GET /v1/jobs/{job}/checkpoints lists them.' },
  dead_letter_not_found: { status: 404, title: 'No such dead letter', retryable: false, remedy: 'GET /v1/dead-letters lists them.' },
  route_not_found: { status: 404, title: 'No such route', retryable: false, remedy: 'GET /openapi.json lists the routes.' },
  method_not_allowed: { status: 405, title: 'The route does not take this method', retryable: false, remedy: 'GET /openapi.json lists the methods.' },
  job_ended: { status: 409, title: 'The job has ended', retryable: false, remedy: 'Retry it as a new job: POST /v1/jobs/{job}/retry.' },
  job_not_ended: { status: 409, title: 'The job has not ended', retryable: false, remedy: 'Cancel it first, or wait for its end.' },
  undeclared_move: { status: 409, title: 'The job does not go that way', retryable: false, remedy: 'Read the job again; its state has changed or never allowed this.' },
  boot_unknown: { status: 409, title: 'The node was never heard with this boot', retryable: false, remedy: 'GET /v1/nodes/{node} shows the boot id that the proof must name.' },
  credential_absent: { status: 409, title: 'The node has no credential in force', retryable: false, remedy: 'Enrol it with a token: POST /v1/enrolment-tokens.' },
  team_exists: { status: 409, title: 'A team of that name exists', retryable: false, remedy: 'Choose another name.' },
  idempotency_in_flight: { status: 409, title: 'A request with this key is under way', retryable: true, remedy: 'Repeat the same request after a second.' },
  job_version_lost: { status: 409, title: 'The job changed meanwhile', retryable: true, remedy: 'Read it again and repeat.' },
  gone: { status: 410, title: 'That part of the stream is no longer kept', retryable: false, remedy: 'Start again without Last-Event-ID and re-read the objects.' },
  node_version_lost: { status: 409, title: 'The node changed meanwhile', retryable: true, remedy: 'Repeat the request.' },
  version_mismatch: { status: 412, title: 'The object has another version', retryable: false, remedy: 'Read it again and send the version you saw.' },
  body_too_large: { status: 413, title: 'The body is too large', retryable: false, remedy: 'Send at most the number of bytes named in detail.' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported', retryable: false, remedy: 'Send application/json.' },
  idempotency_reused: { status: 422, title: 'The key was used for another request', retryable: false, remedy: 'Use a new Idempotency-Key for a new request.' },
  queue_full: { status: 429, title: 'The team has its full number of waiting jobs', retryable: true, remedy: 'Wait until some have started, or cancel some.' },
  too_many_streams: { status: 503, title: 'Too many open streams', retryable: true, remedy: 'Close some, or try again later.' },
  unavailable: { status: 503, title: 'A part that this needs is away', retryable: true, remedy: 'Try again; muster doctor says which part.' },
  internal: { status: 500, title: 'An error of ours', retryable: true, remedy: 'Report it with the request id; the log has the cause.' },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof errorRegistry;

export interface FieldError { readonly pointer: string; readonly detail: string }

export class Problem extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly context: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, detail: string, context: Readonly<Record<string, unknown>> = {}, errors: readonly FieldError[] = []) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.context = context;
    this.errors = errors;
  }

  get status(): number { return errorRegistry[this.code].status; }
}

/**
 * An error with a name from the registry.
 *
 * @param context  ids, limits and current values; shown to the caller, so never a secret
 */
export function problem(code: ErrorCode, context: Readonly<Record<string, unknown>> = {}, errors: readonly FieldError[] = []): Problem {
  const facts = Object.entries(context).map(([name, value]) => `${name} ${String(value)}`).join(', ');
  return new Problem(code, facts || errorRegistry[code].title, context, errors);
}
