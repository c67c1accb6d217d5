/** The command as a newcomer uses it: a file, a wait, an exit code, logs, and JSON for scripts. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { muster, type Ran } from '../integration/cli/api-process.ts';
import { Fleet, openTimeoutMs } from './fleet.ts';

const timeout = 60_000;

describe('muster, against a stack that runs', () => {
  let fleet: Fleet;
  beforeAll(async () => { fleet = await Fleet.open({ nodes: 2 }); }, openTimeoutMs);
  afterAll(() => fleet?.close());
  afterEach((context) => fleet.settle(context));

  const run = (...args: string[]): Promise<Ran> => muster(args, fleet.cliEnv);
  /** One document, or for what goes on one a line. */
  const parsed = (ran: Ran): unknown[] => {
    try {
      return [JSON.parse(ran.out)];
    } catch {
      return ran.out.split('\n').filter(Boolean).map((line) => JSON.parse(line) as unknown);
    }
  };
  const file = (name: string, text: string): string => {
    const target = path.join(fleet.dir, name);
    writeFileSync(target, text);
    return target;
  };

  it('submit -f job.yaml --wait ends with 0 for a job that succeeded', { timeout }, async () => {
    const yaml = file('good.yaml', 'name: good\nargv: [/bin/echo, hello]\nmembers: 2\ndevicesPerMember: 1\n');
    const ran = await run('submit', '-f', yaml, '--wait', '--json');
    expect(ran).toMatchObject({ code: 0 });
    const job = JSON.parse(ran.out) as { id: string; state: string };
    expect(job.state).toBe('SUCCEEDED');
    expect(await run('logs', '-f', job.id)).toMatchObject({ code: 0, out: expect.stringContaining('hello') as unknown });
    expect((await run('logs', job.id, '--rank', '1')).out.match(/hello/g)).toHaveLength(1);
  });

  it('submit --wait ends with 1 for a job that failed, and says why', { timeout }, async () => {
    const ran = await run('submit', '--name', 'bad', '--wait', '--', '/bin/sh', '-c', 'echo no; exit 3');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('exited with 3');
  });

  it('submit --follow prints what the members print while it waits', { timeout }, async () => {
    const ran = await run('submit', '--name', 'talk', '--members', '2', '--follow', '--', '/bin/sh', '-c', 'echo rank $RANK');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toContain('rank 0');
    expect(ran.out).toContain('rank 1');
  });

  it('--json is parseable everywhere', { timeout }, async () => {
    const [submitted] = parsed(await run('submit', '--json', '--name', 'small', '--', '/bin/true')) as [{ id: string }];
    await fleet.state(submitted.id, 'SUCCEEDED');
    for (const args of [['jobs'], ['job', submitted.id], ['attempts', submitted.id], ['checkpoints', submitted.id], ['nodes'], ['logs', submitted.id], ['teams']]) {
      const ran = await run(...args, '--json');
      expect(ran, args.join(' ')).toMatchObject({ code: 0 });
      expect(() => parsed(ran), args.join(' ')).not.toThrow();
    }
    expect((await run('jobs')).out).toContain('small');
    expect((await run('nodes')).out).toContain('n2');
  });

  it('tells a typing error, an unknown job and a stack that is not there apart by exit codes', { timeout }, async () => {
    const yaml = file('wrong.yaml', 'name: wrong\nargv: []\nmembers: -1\n');
    const refused = await run('submit', '-f', yaml);
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('members');
    expect((await run('job', 'job_00000000000000000000000000')).code).toBe(5);
    expect((await run('submit', '--memebrs', '2')).code).toBe(2);
    expect((await muster(['jobs'], { ...fleet.cliEnv, MUSTER_API_URL: 'http://127.0.0.1:1' })).code).toBe(3);
  });

  it('cancel ends a running job', { timeout }, async () => {
    const [{ id }] = parsed(await run('submit', '--json', '--name', 'long', '--grace', '1s', '--', '/bin/sleep', '600')) as [{ id: string }];
    await fleet.state(id, 'RUNNING');
    expect(await run('cancel', id)).toMatchObject({ code: 0 });
    await fleet.state(id, 'CANCELLED');
  });
});
