/**
 * `muster demo`: starts the local stack, trains the digits gang on it, kills a member and then the worker role while it
 * trains, and checks that the final weights equal those of an undisturbed run.
 */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pc from 'picocolors';
import { ask, connect, readConnection, type Client, type Connection, type Job, type Schema } from '#services/cli/client.ts';
import { note, print, printFacts, printTable } from '#services/cli/output.ts';
import { readConfig } from '#services/platform/config.ts';
import { down } from '../stack/down.ts';
import { stackStatus } from '../stack/status.ts';
import { upDetached } from '../stack/up.ts';
import { disturbances, type Disturbance } from './disturb.ts';
import { digestIn, referenceDigest } from './reference.ts';
import { readDigitsSpec } from './spec.ts';
import { openView, type DemoView } from './view.ts';

type Attempt = Schema<'Attempt'>;

const stack = { agents: 4, devicesPerAgent: 8, racks: 2, roles: true } as const;
const upArgs = ['up', '--agents', String(stack.agents), '--devices', String(stack.devicesPerAgent), '--racks', String(stack.racks)];
const pollMs = 250;
/** The undisturbed job takes half a minute; past this something is wrong and the demo says so. */
const trainingTimeoutMs = 5 * 60_000;

const eventsTimeoutMs = 5_000;

interface Mark { readonly atMs: number; readonly text: string }

/** @param keep  leave the stack up @returns exit code */
export async function demo({ keep }: { readonly keep: boolean }): Promise<number> {
  const startedAtMs = Date.now();
  const { home } = readConfig();
  const wasUp = stackStatus(home).state === 'running';
  const view = wasUp ? stackStatus(home).view : await upDetached({ home, ...stack }, upArgs);
  const stackMs = Date.now() - startedAtMs;
  note(`stack ready in ${seconds(stackMs)}: 4 nodes with 8 devices each in 2 racks`);
  try {
    const connection = { ...readConnection(), url: view?.urls.api ?? readConnection().url };
    const code = await train(connection, home, view?.urls);
    printFacts({ 'whole demo': seconds(Date.now() - startedAtMs) });
    return code;
  } finally {
    if (keep || wasUp) note(`the stack stays up: ${view?.urls.api ?? ''}; stop it with: muster down`);
    else note(`stopped ${(await down(home)).length} parts; --keep leaves them up`);
  }
}

async function train(connection: Connection, home: string, urls: { readonly openapi: string; readonly temporalUi: string | null } | undefined): Promise<number> {
  const client = connect(connection);
  const spec = await readDigitsSpec();
  const reference = referenceDigest(spec);
  reference.catch(() => undefined); // awaited below, where its failure is told
  const marks: Mark[] = [{ atMs: Date.now(), text: 'submitted' }];
  const submitted = await ask(client.POST('/v1/jobs', { body: spec }));
  note(`job ${submitted.id}: ${spec.members ?? 1} members × ${spec.devicesPerMember ?? 0} devices`);
  note(`API page     ${urls?.openapi ?? ''}`);
  note(`Temporal UI  ${urls?.temporalUi ?? ''}`);
  const view = openView();
  const job = await watch(client, submitted.id, view, disturbances(home), marks).finally(() => view.stop());
  await printTimeline(client, job, marks);
  return verdict(connection, client, job, await reference);
}

/** Follows the job to its end, and disturbs it on the way. */
async function watch(client: Client, jobId: string, view: DemoView, plan: Disturbance[], marks: Mark[]): Promise<Job> {
  const params = { path: { job: jobId } };
  for (const until = Date.now() + trainingTimeoutMs; ;) {
    const job = await ask(client.GET('/v1/jobs/{job}', { params }));
    const attempt = (await ask(client.GET('/v1/jobs/{job}/attempts', { params }))).items.find(({ epoch }) => epoch === job.epoch);
    view.show(job, attempt);
    if (job.endedAt !== null) return job;
    if (Date.now() > until) throw new Error(`job ${jobId} is ${job.state} after ${seconds(trainingTimeoutMs)}: ${job.reason}`);
    const next = plan[0];
    if (next && attempt && isThere(job, next.atShare)) {
      const done = next.act(attempt);
      if (done !== undefined) {
        plan.shift();
        marks.push({ atMs: Date.now(), text: done });
        view.say(pc.red(done));
      }
    }
    await delay(pollMs);
  }
}

const isThere = (job: Job, share: number): boolean =>
  job.state === 'RUNNING' && job.progress !== null && Number(job.progress.step) >= share * Number(job.progress.totalSteps ?? Infinity);

/** The moves of the job, its checkpoints and what was done to it, in the order of their times. */
async function printTimeline(client: Client, job: Job, marks: readonly Mark[]): Promise<void> {
  const params = { path: { job: job.id }, query: { page_size: 200 } };
  const moves = (await eventsUntilEnd(client, job)).filter(({ kind }) => kind !== 'job.attention').map((event) => ({ atMs: Date.parse(event.at), text: toldBy(event) }));
  const saves = (await ask(client.GET('/v1/jobs/{job}/checkpoints', { params }))).items
    .map(({ step, committedAt }) => ({ atMs: Date.parse(committedAt), text: pc.dim(`checkpoint of step ${step}`) }));
  const all = [...marks, ...moves, ...saves].sort((a, b) => a.atMs - b.atMs);
  const from = all[0]?.atMs ?? 0;
  print('');
  printTable(['at', 'what'], all.map(({ atMs, text }) => [`${((atMs - from) / 1000).toFixed(2)} s`, text]));
}

/** The events of an ended job; its last one is numbered, and so readable, a moment after its state is. */
async function eventsUntilEnd(client: Client, job: Job): Promise<Schema<'JobEvent'>[]> {
  for (const until = Date.now() + eventsTimeoutMs; ; await delay(pollMs)) {
    const { items } = await ask(client.GET('/v1/jobs/{job}/events', { params: { path: { job: job.id }, query: { page_size: 200 } } }));
    if (items.some(({ version }) => version === job.version) || Date.now() > until) return items;
  }
}

function toldBy({ kind, payload }: Schema<'JobEvent'>): string {
  const reason = typeof payload['reason'] === 'string' ? ` (${payload['reason']})` : '';
  return `${kind === 'job.submitted' ? 'QUEUED' : String(payload['state'] ?? kind)}${reason}`;
}

async function verdict(connection: Connection, client: Client, job: Job, reference: string): Promise<number> {
  const { items } = await ask(client.GET('/v1/jobs/{job}/attempts', { params: { path: { job: job.id } } }));
  const digest = job.state === 'SUCCEEDED' ? digestIn(await logOf(connection, job.id)) : undefined;
  const equal = digest === reference;
  print('');
  printFacts({
    job: `${job.id} ${job.state}`,
    attempts: String(items.length),
    'first start': startOf(items, job),
    'digest of the gang': digest ?? 'none: the job did not succeed',
    'digest undisturbed': reference,
    verdict: equal ? pc.green('equal, bit for bit') : pc.red('NOT equal'),
    'supervision in the Web UI': job.links.workflow,
  });
  return equal ? 0 : 1;
}

/** Submit to all members running, of the first attempt. */
function startOf(attempts: readonly Attempt[], job: Job): string {
  const first = attempts.reduce<Attempt | undefined>((oldest, attempt) => (oldest && BigInt(oldest.epoch) < BigInt(attempt.epoch) ? oldest : attempt), undefined);
  return first?.runningAt ? `${Date.parse(first.runningAt) - Date.parse(job.submittedAt)} ms from submit to all members running` : 'never';
}

async function logOf(connection: Connection, jobId: string): Promise<string> {
  const url = path.posix.join('/v1/jobs', jobId, 'logs');
  const answer = await fetch(`${connection.url}${url}?rank=0`, { headers: { authorization: `Bearer ${connection.key}`, accept: 'text/plain' } });
  if (!answer.ok) throw new Error(`reading the log of ${jobId} failed with ${answer.status}`);
  return answer.text();
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

