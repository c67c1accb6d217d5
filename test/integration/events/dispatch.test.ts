/** What the dispatcher makes of events that are late, wrong, or come while something is away. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { inTransaction } from '#services/platform/db.ts';
import { listDeadLetters, redriveDeadLetter, redriveWakeSubject, type DeadLetter } from '#services/events/dead-letters.ts';
import { startDispatcher } from '#services/events/dispatch.ts';
import { subjectOf } from '#services/events/message.ts';
import { leadRelaying } from '#services/events/relay.ts';
import { jobWorkflowId } from '#services/jobs/model.ts';
import { connectionOf, type Subscription } from '#services/platform/nats/bus.ts';
import { openTemporal, type Supervisor } from '#services/platform/temporal.ts';
import { append, insertPlacedJob, jobEventOf, openEventWorld, until, WritingSupervisor, type EventWorld } from '#test/setup/events.ts';

let world: EventWorld;
let supervisor: WritingSupervisor;
let dispatcher: Subscription;
let relaying: Promise<void>;
let over: AbortController;

beforeEach(async () => {
  world = await openEventWorld({ MUSTER_DELIVER_MAX: '3' });
  supervisor = new WritingSupervisor();
  over = new AbortController();
  relaying = leadRelaying(world, { over: over.signal });
});
afterEach(async () => {
  over.abort();
  await Promise.all([relaying, dispatcher.close()]);
  await world.close();
});

const dispatchTo = (to: Pick<Supervisor, 'start' | 'signal'>): void => { dispatcher = startDispatcher({ ...world, supervisor: to }); };
const letters = (): Promise<DeadLetter[]> => listDeadLetters(world.db, {}, undefined, 10);
const redrive = async (letter: DeadLetter): Promise<void> => {
  await inTransaction(world.db, (tx) => redriveDeadLetter(tx, letter.id));
  world.bus.publish(redriveWakeSubject, null);
};
const handled = (pos: bigint) => until(async () =>
  (await world.db.selectFrom('inbox').select('pos').where('pos', '=', pos).execute()).length === 1);

it('P26 a lower version is dropped, but placed never', async () => {
  await insertPlacedJob(world.db, 'job_a');
  dispatchTo(supervisor);
  await append(world.db, jobEventOf('job_a', 5n));
  await handled(1n);
  await append(world.db, jobEventOf('job_a', 4n), jobEventOf('job_a', 3n, 'job.placed'), jobEventOf('job_a', 5n, 'job.attention'));
  for (const pos of [2n, 3n, 4n]) await handled(pos);
  expect(supervisor.told.map(({ call, wake }) => `${call} ${wake.version}`).sort()).toEqual(['signal 5', 'signal 5', 'start 3']);
});

it('an event that can not be handled is put aside, stops no other, and can be redriven', async () => {
  supervisor.refuse = ({ job }) => (job === 'job_poison' ? new Error('no such thing') : undefined);
  dispatchTo(supervisor);
  await append(world.db, jobEventOf('job_poison', 1n), jobEventOf('job_good', 1n));
  const [letter] = await until(async () => { const found = await letters(); return found.length > 0 && found; });
  expect(letter).toMatchObject({ key: 'job/job_poison', state: 'DEAD', deliveries: 3, error: 'no such thing', consumer: 'dispatcher' });
  expect(supervisor.told.map(({ job }) => job)).toEqual(['job_good']);

  await redrive(letter!);
  await until(async () => (await letters())[0]?.deliveries === 4);
  expect((await letters())[0]).toMatchObject({ state: 'DEAD' });

  supervisor.refuse = () => undefined;
  await redrive(letter!);
  await until(async () => (await letters())[0]?.state === 'HANDLED');
  expect(supervisor.told.map(({ job }) => job)).toEqual(['job_good', 'job_poison']);
});

it('an outage is no fault of the event: it waits, however often it fails', async () => {
  let refusals = 0;
  supervisor.refuse = () => (++refusals <= 5 ? Object.assign(new Error('14 UNAVAILABLE'), { code: 14 }) : undefined);
  dispatchTo(supervisor);
  await append(world.db, jobEventOf('job_a', 1n));
  await until(() => supervisor.told.length === 1);
  expect(await letters()).toEqual([]);
});

it('what is no event on the stream stops nothing', async () => {
  dispatchTo(supervisor);
  const subject = subjectOf(world.config.scope, jobEventOf('job_a', 1n));
  for (const text of ['', '{', '[]', '"x"', '{"pos":"1"}', '\u0000\u00ff']) await connectionOf(world.bus).jetstream().publish(subject, new TextEncoder().encode(text));
  await connectionOf(world.bus).jetstream().publish(subject, new Uint8Array([0xff, 0xfe]));
  await append(world.db, jobEventOf('job_a', 1n));
  await until(() => supervisor.told.length === 1);
  expect(await letters()).toEqual([]);
});

it('with Temporal: placed starts one run of the job, told twice it is the same, and nobody to wake counts as done', async () => {
  const temporal = openTemporal(world.config, world.log);
  await insertPlacedJob(world.db, 'job_run');
  dispatchTo(temporal);
  await append(world.db, jobEventOf('job_nobody', 1n), jobEventOf('job_run', 2n, 'job.placed'), jobEventOf('job_run', 2n, 'job.placed'));
  for (const pos of [1n, 2n, 3n]) await handled(pos);
  const connection = await Connection.connect({ address: world.config.temporalAddress });
  const handle = new Client({ connection }).workflow.getHandle(jobWorkflowId('job_run'));
  const { status, runId } = await handle.describe();
  expect(status.name).toBe('RUNNING');
  const { events } = await handle.fetchHistory();
  expect(events?.filter((event) => event.workflowExecutionSignaledEventAttributes).length).toBe(2);
  expect(events?.filter((event) => event.workflowExecutionStartedEventAttributes).map((event) => event.workflowExecutionStartedEventAttributes?.firstExecutionRunId)).toEqual([runId]);
  await handle.terminate('the test is over');
  await connection.close();
  await temporal.close();
  expect(await letters()).toEqual([]);
});
