/** The overview as a screen of text. Pure, but for the colours of the terminal. */
import type { Schema } from './client.ts';
import { age, colours, paintState, tableOf } from './output.ts';

export type Overview = Schema<'Overview'>;
type Job = Pick<Schema<'Job'>, 'id' | 'name' | 'team' | 'state' | 'reason' | 'stateAgeMs'>;

const { dim, red, yellow, bold } = colours;
const barCells = 20;
/** From here on a lag is shown as trouble: relay and dispatcher normally take milliseconds. */
const lagShownMs = 5_000;

/** @param columns  of the terminal: no line is longer, since a line that wraps would break the redraw */
export function screenOf(overview: Overview, jobs: readonly Job[], columns: number): string {
  return [
    `${bold('muster')}  ${overview.at}${overview.ageMs > 0 ? dim(`  ${overview.ageMs} ms old`) : ''}`,
    nodesLine(overview),
    '',
    tableOf(['MODEL', 'DEVICES', 'HEALTHY', 'TAKES WORK', 'IN USE', ''], overview.fleet.models.map((model) => [
      model.model, String(model.devices), String(model.healthy), String(model.schedulable), String(model.usedMilli / 1_000), bar(model.usedMilli / 1_000, model.devices)])),
    '',
    tableOf(['QUEUE', 'JOBS', 'OLDEST'], overview.queue.map((of) => [of.class, String(of.jobs), of.jobs === 0 ? '' : age(of.oldestAgeMs)])),
    '',
    `${dim('jobs')}     ${countsOf(overview.jobs) || dim('none is active')}`,
    `${dim('events')}   ${eventsOf(overview)}`,
    `${dim('leaders')}  ${overview.leaders.map(({ name, held }) => (held ? name : red(`${name}: nobody`))).join(', ')}`,
    '',
    ...(jobs.length === 0 ? [] : [tableOf(['JOB', 'NAME', 'TEAM', 'STATE', 'FOR', 'REASON'], jobs.map((job) => [
      job.id, job.name, job.team, paintState(job.state), age(job.stateAgeMs), job.reason]))]),
  ].flatMap((text) => text.split('\n')).map((line) => cut(line, columns)).join('\n');
}

function nodesLine({ fleet }: Overview): string {
  const states = Object.entries(fleet.nodes).filter(([, { total }]) => total > 0)
    .map(([state, { total, schedulable }]) => `${total} ${paintState(state)}${state === 'LIVE' && schedulable < total ? ` (${total - schedulable} take no work)` : ''}`);
  return `${dim('nodes')}    ${states.join(', ') || 'none'}${fleet.fencedMembers > 0 ? yellow(`  ${fleet.fencedMembers} fenced members block devices`) : ''}`;
}

function eventsOf({ events, deadLetters }: Overview): string {
  const lag = `relay ${age(events.relayLagMs)} behind (${events.unrelayedRows + events.unnumberedRows} rows)`;
  const dispatcher = events.dispatcherLag === null ? red('NATS does not answer') : `dispatcher ${events.dispatcherLag} messages behind`;
  return [
    events.relayLagMs > lagShownMs ? red(lag) : lag, dispatcher,
    ...(deadLetters.dead > 0 ? [red(`${deadLetters.dead} dead letters`)] : []),
  ].join(', ');
}

const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts).filter(([, count]) => count > 0).map(([state, count]) => `${count} ${paintState(state)}`).join('  ');

function bar(used: number, of: number): string {
  const cells = of === 0 ? 0 : Math.round((used / of) * barCells);
  return `${'█'.repeat(cells)}${dim('░'.repeat(barCells - cells))}`;
}

/** Colours take no room, and end with the line. */
function cut(line: string, columns: number): string {
  let left = columns;
  let text = '';
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    const shown = part.startsWith('\u001b') ? part : [...part].slice(0, left).join('');
    if (!part.startsWith('\u001b')) left -= [...shown].length;
    text += shown;
  }
  return text;
}
