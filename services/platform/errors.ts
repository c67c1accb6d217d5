/**
 * The registry of errors: code, HTTP status, title, whether a repetition can help, and the remedy.
 * Answers are application/problem+json (RFC 9457); `pointer` names the bad field as a JSON pointer.
 */
interface Entry { readonly status: number; readonly title: string; readonly retryable: boolean; readonly remedy: string }

export const errorRegistry = {
  malformed_json: { status: 400, title: 'The body is not JSON', retryable: false, remedy: 'Send a valid JSON document with content-type application/json.' },
  invalid_request: { status: 400, title: 'The request does not fit its schema', retryable: false, remedy: 'Correct the fields named in errors; GET /openapi.json has the schema.' },
  invalid_cursor: { status: 400, title: 'The page token is not one of ours', retryable: false, remedy: 'Start again without page_token.' },
  idempotency_key_required: { status: 400, title: 'The request needs an Idempotency-Key', retryable: false, remedy: 'Send Idempotency-Key with a new random value, and the same value when you repeat the request.' },
  unauthenticated: { status: 401, title: 'No valid API key or token', retryable: false, remedy: 'Send Authorization: Bearer <key or token>.' },
  forbidden: { status: 403, title: 'The caller may not do this', retryable: false, remedy: 'Use a key whose role and scopes allow what detail names.' },
  job_not_found: { status: 404, title: 'No such job', retryable: false, remedy: 'Check the id with GET /v1/jobs.' },
  node_not_found: { status: 404, title: 'No such node', retryable: false, remedy: 'Check the name with GET /v1/nodes.' },
  team_not_found: { status: 404, title: 'No such team', retryable: false, remedy: 'Check the name with GET /v1/teams.' },
  org_not_found: { status: 404, title: 'No such organisation', retryable: false, remedy: 'Check the name with GET /v1/orgs.' },
  key_not_found: { status: 404, title: 'No such API key', retryable: false, remedy: 'GET /v1/keys lists them.' },
  binding_not_found: { status: 404, title: 'No such role binding', retryable: false, remedy: 'GET /v1/bindings lists them.' },
  secret_not_found: { status: 404, title: 'No such secret', retryable: false, remedy: 'GET /v1/teams/{team}/secrets lists the names.' },
  attempt_not_found: { status: 404, title: 'No such attempt', retryable: false, remedy: 'GET /v1/jobs/{job}/attempts lists them.' },
  checkpoint_not_found: { status: 404, title: 'No such checkpoint', retryable: false, remedy: 'GET /v1/jobs/{job}/checkpoints lists them.' },
  dead_letter_not_found: { status: 404, title: 'No such dead letter', retryable: false, remedy: 'GET /v1/dead-letters lists them.' },
  operation_not_found: { status: 404, title: 'No such operation', retryable: false, remedy: 'GET /v1/operations lists them; ended ones are kept for a while only.' },
  route_not_found: { status: 404, title: 'No such route', retryable: false, remedy: 'GET /openapi.json lists the routes.' },
  method_not_allowed: { status: 405, title: 'The route does not take this method', retryable: false, remedy: 'GET /openapi.json lists the methods.' },
  job_ended: { status: 409, title: 'The job has ended', retryable: false, remedy: 'Retry it as a new job: POST /v1/jobs/{job}/retry.' },
  job_not_ended: { status: 409, title: 'The job has not ended', retryable: false, remedy: 'Cancel it first, or wait for its end.' },
  job_not_waiting: { status: 409, title: 'The job no longer waits', retryable: false, remedy: 'Its priority counts while it waits; cancel it and submit it again with another one.' },
  time_limit_shortened: { status: 409, title: 'The time limit of a placed job can only grow', retryable: false, remedy: 'Give more than the present limit, or cancel the job.' },
  undeclared_move: { status: 409, title: 'The job does not go that way', retryable: false, remedy: 'Read the job again; its state has changed or never allowed this.' },
  boot_unknown: { status: 409, title: 'The node was never heard with this boot', retryable: false, remedy: 'GET /v1/nodes/{node} shows the boot id that the proof must name.' },
  credential_absent: { status: 409, title: 'The node has no credential in force', retryable: false, remedy: 'Enrol it with a token: POST /v1/enrolment-tokens.' },
  team_exists: { status: 409, title: 'A team of that name exists', retryable: false, remedy: 'Choose another name.' },
  org_exists: { status: 409, title: 'An organisation of that name exists', retryable: false, remedy: 'Choose another name.' },
  key_revoked: { status: 409, title: 'The API key is revoked', retryable: false, remedy: 'Create a new one: POST /v1/keys.' },
  last_admin: { status: 409, title: 'Nobody else is admin of the cluster', retryable: false, remedy: 'Bind another admin first.' },
  secret_in_use: { status: 409, title: 'A job that has not ended uses the secret', retryable: false, remedy: 'Cancel the job or wait for its end.' },
  secrets_full: { status: 409, title: 'The team has its full number of secrets', retryable: false, remedy: 'Delete those that no job uses.' },
  idempotency_in_flight: { status: 409, title: 'A request with this key is under way', retryable: true, remedy: 'Repeat the same request after a second.' },
  job_version_lost: { status: 409, title: 'The job changed meanwhile', retryable: true, remedy: 'Read it again and repeat.' },
  gone: { status: 410, title: 'That part of the stream is no longer kept', retryable: false, remedy: 'Start again without Last-Event-ID and re-read the objects.' },
  node_version_lost: { status: 409, title: 'The node changed meanwhile', retryable: true, remedy: 'Repeat the request.' },
  version_mismatch: { status: 412, title: 'The object has another version', retryable: false, remedy: 'Read it again and send the version you saw.' },
  precondition_required: { status: 428, title: 'The change needs If-Match', retryable: false, remedy: 'Read the object and send its ETag as If-Match.' },
  request_timeout: { status: 408, title: 'The request took too long to arrive', retryable: true, remedy: 'Send headers and body without pauses.' },
  body_too_large: { status: 413, title: 'The body is too large', retryable: false, remedy: 'Send at most the number of bytes named in detail.' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported', retryable: false, remedy: 'Send application/json.' },
  idempotency_reused: { status: 422, title: 'The key was used for another request', retryable: false, remedy: 'Use a new Idempotency-Key for a new request.' },
  queue_full: { status: 429, title: 'The team has its full number of waiting jobs', retryable: true, remedy: 'Wait until some have started, or cancel some.' },
  rate_limited: { status: 429, title: 'Too many requests', retryable: true, remedy: 'Wait as long as Retry-After says; submit many jobs at once with POST /v1/jobs:batch.' },
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
