/** Today's workflow code must make the commands that recorded runs have in their histories. Needs no server. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { workflowsPath } from '#infra/temporal/bundle.ts';
import { jobWorkflowId } from '#services/jobs/model.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { installTemporalRuntime } from '#services/roles/worker.ts';
import { parseHistory, type History } from '../history-file.ts';

const folder = path.join(repositoryRoot, 'test/replay/job');
const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
const read = async (name: string): Promise<History> => parseHistory(await readFile(path.join(folder, name), 'utf8'));

const lines: string[] = [];
let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  installTemporalRuntime(pino({ level: 'warn' }, new Writable({ write(chunk: Buffer, _encoding, done) { lines.push(chunk.toString()); done(); } })));
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
});
beforeEach(() => { lines.length = 0; });

async function replay(history: History): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle }, history, jobWorkflowId('job_recorded'));
  Runtime.instance().flushLogs();
}

describe('replay of recorded histories', () => {
  it('SV12 the corpus has every scenario: an empty folder would prove nothing', () => {
    expect(files).toEqual(expect.arrayContaining(['undisturbed.json', 'member-failed-and-restarted.json', 'member-failed-and-restarted.2.json',
      'cancelled.json', 'lost-and-fenced.json', 'time-limit.json', 'database-away.json']));
  });

  it.each(files)('%s gives the same commands', async (name) => {
    const history = await read(name);
    // SV11: a history that stops at a started task passes, whatever its activation throws.
    const last = history.events?.at(-1);
    expect(last?.workflowExecutionCompletedEventAttributes ?? last?.workflowExecutionContinuedAsNewEventAttributes).toBeTruthy();
    await replay(history);
    expect(lines.filter((line) => line.includes('Failing workflow task'))).toEqual([]);
  });

  it('SV13 a workflow that would call another activity is caught', async () => {
    const history = await read('cancelled.json');
    const scheduled = history.events?.find((event) => event.activityTaskScheduledEventAttributes);
    scheduled!.activityTaskScheduledEventAttributes!.activityType!.name = 'succeedJob';
    await expect(replay(history)).rejects.toThrow(/nondeterminism|does not match/i);
  });
});
