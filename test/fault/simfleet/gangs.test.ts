/**
 * Fifty simulated nodes over a real control plane: a hundred gangs while nodes restart, boot anew, fall silent, answer
 * late, twice, wrongly or with strays. The seed decides what happens to whom and what each program does; times are real,
 * so an order of events may differ between two runs. MUSTER_TEST_SEED sets it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { openLog } from '#services/platform/log.ts';
import { SimulatedFleet } from '#services/simfleet/fleet.ts';
import { completeScenario, type ScenarioFile } from '#services/simfleet/scenario.ts';
import { Fleet } from '../../e2e/fleet.ts';
import { seeded } from '#services/simfleet/random.ts';
import { until } from '../../e2e/until.ts';
import { lawsBroken } from './laws.ts';

const seed = Number(process.env['MUSTER_TEST_SEED'] ?? 20_261);
const nodes = 50;
const gangs = 100;
const timeoutMs = 240_000;
const lookEveryMs = 500;

/** Silence lasts past the lease of two seconds, the rest shorter. */
const faults: ScenarioFile['faults'] = [
  { kind: 'silence', everyMs: 60_000, forMs: [500, 6_000] }, { kind: 'deafness', everyMs: 90_000, forMs: [200, 2_000] },
  { kind: 'slowness', everyMs: 30_000, forMs: [1_000, 4_000], delayMs: [50, 900] }, { kind: 'duplicates', everyMs: 30_000, forMs: [500, 3_000] },
  { kind: 'staleBeats', everyMs: 30_000, forMs: [500, 3_000] }, { kind: 'badBeats', everyMs: 30_000, forMs: [500, 2_000] },
  { kind: 'badAnswers', everyMs: 30_000, forMs: [500, 2_000] }, { kind: 'strays', everyMs: 60_000 },
  { kind: 'restart', everyMs: 60_000 }, { kind: 'reboot', everyMs: 120_000 },
];

let fleet: Fleet;
let simulated: SimulatedFleet;
let dataDir: string;

beforeAll(async () => {
  fleet = await Fleet.open({ nodes: 0 });
  dataDir = mkdtempSync(path.join(tmpdir(), 'simulated-'));
  simulated = new SimulatedFleet({
    scenario: completeScenario({
      version: 1, seed, nodes: { count: nodes, devices: 4 }, faults,
      programs: {
        train: { startMs: [5, 100], runMs: [200, 2_000], stopMs: [5, 200], ignoresStop: 0.1 },
        flaky: { startMs: [5, 100], runMs: [50, 500], endings: [{ weight: 6, exitCode: 0 }, { weight: 2, exitCode: 1 }, { weight: 1, signal: 'SIGSEGV' }, { weight: 1, refused: 'spawn_failed' }] },
      },
    }),
    natsUrl: fleet.config.natsUrl, dataDir, tokenFor: (node) => fleet.token(node), log: openLog('test', 'fatal'), beatTimeoutMs: 1_000,
  });
  await simulated.start();
  await fleet.ready(nodes).catch(() => undefined); // faults run already: some node is always on its way
}, 120_000);

afterAll(async () => {
  await simulated?.close();
  await fleet?.close();
  if (dataDir) rmSync(dataDir, { recursive: true, force: true });
});

it(`a hundred gangs end, and no law is broken at any look (seed ${seed})`, { timeout: timeoutMs + 60_000 }, async () => {
  const random = seeded(seed, 'gangs');
  const ids = new Map<string, string>();
  for (let gang = 0; gang < gangs; gang++) {
    const kind = random() < 0.6 ? 'train' : 'flaky';
    const id = await fleet.submit({
      argv: [kind, String(gang)], members: 1 + Math.floor(random() * 8), devicesPerMember: 1 + Math.floor(random() * 3),
      retry: { backoffSeconds: 0, userFailures: 2, infrastructureFailures: 1_000 }, checkpoint: { graceSeconds: 1 },
    });
    ids.set(id, kind);
  }
  const broken = new Set<string>();
  const open = async () => fleet.db.selectFrom('job').select(['id', 'state', 'detail']).where('ended_at', 'is', null).execute();
  for (const end = performance.now() + timeoutMs; (await open()).length > 0 && performance.now() < end; await delay(lookEveryMs)) {
    for (const fault of await lawsBroken(fleet.db)) broken.add(fault);
  }
  expect([...broken]).toEqual([]);
  expect(await open()).toEqual([]);

  const ended = await fleet.db.selectFrom('job').select(['id', 'state']).execute();
  expect(ended.filter(({ id, state }) => state !== 'SUCCEEDED' && !(state === 'FAILED' && ids.get(id) === 'flaky'))).toEqual([]);
  const { counts, faults: injected } = simulated.state();
  expect(counts['members misled']).toBe(0);
  expect(counts['members started']).toBeGreaterThan(gangs);
  expect(Object.keys(injected).length).toBeGreaterThan(5);
});

it('nothing is left: no allocation, member, ticket, open run or unpublished event', { timeout: 90_000 }, async () => {
  await until('every simulated member to be forgotten', () => simulated.state().membersActive === 0, 30_000);
  const strayMembers = async () => (await fleet.leftovers()).blockedNodes;
  // The faults go on, so a node may be on its way at any one look: what must be empty is what jobs left.
  await until('nothing but nodes under way', async () => {
    const { blockedNodes: _underWay, ...left } = await fleet.leftovers();
    return Object.values(left).every((found) => (Array.isArray(found) ? found.length === 0 : found === 0));
  }, 40_000, () => fleet.leftovers());
  await simulated.close();
  expect(await strayMembers()).toBeLessThanOrEqual(nodes);
  expect(await lawsBroken(fleet.db)).toEqual([]);
});
