/** What the Web UI's page of a run shows: phase, what it waits for, last error, next step, runbook. Pure. */
import type { SupervisionPhase, SupervisionView } from '#services/jobs/model.ts';
import type { Step } from './decide.ts';

/** The phase of an active job; undefined for one that waits or has ended. */
export function phaseOf(view: SupervisionView): SupervisionPhase | undefined {
  switch (view.state) {
    case 'RESERVED':
    case 'STARTING':
    case 'RUNNING':
      return 'PLACED';
    case 'LOST':
    case 'VACATING':
    case 'CANCELLING':
      return view.state;
    default:
      return undefined;
  }
}

/**
 * Markdown, as Temporal's page renders it (no images, no HTML). It names the job, since a run that took over from
 * another by continue-as-new has no summary. @param lastError null when the last call went well */
export function detailsOf(view: SupervisionView, step: Step, lastError: string | null): string {
  const { counters } = view;
  return [
    `**${view.name}** of team ${view.team}: **${view.state}**${view.vacateReason ? ` (${view.vacateReason})` : ''}, epoch ${view.epoch}`,
    '',
    `- job: ${view.jobId}, as the API shows it: GET /v1/jobs/${view.jobId}`,
    `- members: ${counters.members}, accepted ${counters.accepted}, ready ${counters.ready}, gone ${counters.gone} (exit 0: ${counters.succeeded}, failed: ${counters.userFailed}, refused: ${counters.refused})`,
    `- waiting for: ${view.frozen ? 'the end of a restore' : view.waitingFor}`,
    `- next step: ${nextStepOf(view, step)}`,
    `- last error: ${lastError ?? 'none'}`,
    `- runbook: docs/operations.md#${runbookOf(view)}`,
  ].join('\n');
}

/** Shown until the row could be read for the first time, and whenever the database is away. */
export function unreadableDetails(jobId: string, lastError: string): string {
  return [
    `**${jobId}**: the row can't be read now; processes keep running`,
    '',
    '- waiting for: the database',
    '- next step: the activity readSupervision is repeated until it answers',
    `- last error: ${lastError}`,
    '- runbook: docs/operations.md#the-database-is-away',
  ].join('\n');
}

function nextStepOf(view: SupervisionView, step: Step): string {
  switch (step.kind) {
    case 'wait': {
      const inTime = view.nextDeadlineMs === null ? '' : `, at the latest in ${Math.ceil(view.nextDeadlineMs / 1000)} s`;
      return `read the row again at the next event${inTime}`;
    }
    case 'done': return 'this run ends';
    case 'vacate': return `stop every member (${step.reason})`;
    case 'succeed': return 'end the job as succeeded and release its devices';
    case 'fence': return 'fence the epoch: it may run elsewhere, unreachable devices stay blocked until proof';
    case 'end': return 'end the epoch and settle its devices';
  }
}

function runbookOf(view: SupervisionView): string {
  if (view.frozen) return 'a-restore-is-under-way';
  switch (view.state) {
    case 'RESERVED':
    case 'STARTING': return 'a-job-does-not-start';
    case 'LOST': return 'a-job-is-lost';
    case 'VACATING':
    case 'CANCELLING': return 'a-job-does-not-stop';
    default: return 'a-job-runs';
  }
}
