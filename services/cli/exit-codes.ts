/** Exit codes of `muster`, documented in docs/cli.md. */
export const exitCodes = {
  ok: 0,
  /** with --wait or --follow: the job ended otherwise than SUCCEEDED */
  jobFailed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  notFound: 5,
  interrupted: 130,
} as const;
