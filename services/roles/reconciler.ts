/** The reconciler role: sweeps that repair drift, led by one process at a time (stack.md 3.1). Each sweep stands alone. */
import { hostname } from 'node:os';
import { isFrozen, sweepRestore, tellOpenRuns } from '../backup/thaw.ts';
import { keepAudit } from '../audit/store.ts';
import { sweepDrains } from '../fleet/drain.ts';
import { forgetOperations, settleOperations } from '../operations/store.ts';
import { forgetEndedTokens } from '../fleet/enrolment.ts';
import { sweepLostJobs, sweepSilentNodes } from '../fleet/silence.ts';
import { sweepFenceCordons, sweepQueueDeadlines, sweepTickets, sweepUnsupervised } from '../jobs/sweeps.ts';
import { CachedFigures } from '../observability/cached-figures.ts';
import { figuresFrom } from '../observability/show-figures.ts';
import { forgetOldKeys } from '../platform/idempotency.ts';
import { newId } from '../platform/ids.ts';
import { leadWhenever } from '../platform/leader.ts';
import { provideFigures } from '../platform/metrics-scrape.ts';
import { openTemporal } from '../platform/temporal.ts';
import { expectSweeps, measureSweep } from './measure.ts';
import { repeat, runProcess, type Role } from './process.ts';
import { wakeWhenConnected } from './wake.ts';

/** Runs that one sweep asks Temporal about: its visibility-free describe costs a few ms each. */
const runsAskedPerSweep = 20;
/** Keeps up with 16 keyed requests a second; each sweep is one short statement. */
const keysForgottenPerSweep = 1_000;
const keySweepMs = 60_000;
/** Partitions are made two months ahead. */
const auditSweepMs = 3_600_000;

interface Sweep {
  readonly name: string;
  readonly everyMs: number;
  /** @returns what it found; zero in a healthy system */
  readonly run: () => Promise<number>;
  /** whether it also looks while a restore is reconciled; the others would judge rows that are older than the world (P35) */
  readonly inFreeze?: true;
}

export async function runReconciler(role: Role): Promise<void> {
  const { config, db, log, signal, onReady } = role;
  const bus = wakeWhenConnected(role, 'reconciler');
  const temporal = openTemporal(config, log);
  const isOpen = async (jobId: string): Promise<boolean> => (await temporal.describeRun(jobId)) === 'open';
  const sweeps: Sweep[] = [
    { name: 'silent nodes', everyMs: Math.min(config.sweepMs, config.leaseTtlMs / 4), run: () => sweepSilentNodes(db, config) },
    { name: 'lost jobs', everyMs: Math.min(config.sweepMs, config.leaseTtlMs / 4), run: () => sweepLostJobs(db) },
    { name: 'queue deadlines', everyMs: config.sweepMs, run: () => sweepQueueDeadlines(db) },
    { name: 'tickets', everyMs: config.sweepMs, run: () => sweepTickets(db) },
    { name: 'fence cordons', everyMs: config.sweepMs, run: () => sweepFenceCordons(db) },
    { name: 'unsupervised jobs', everyMs: config.sweepMs * 2, run: () => sweepUnsupervised(db, isOpen, runsAskedPerSweep) },
    { name: 'idempotency keys', everyMs: keySweepMs, run: () => forgetOldKeys(db, config.idempotencyHours, keysForgottenPerSweep) },
    { name: 'drains', everyMs: config.sweepMs, run: () => sweepDrains(db, config) },
    { name: 'operations', everyMs: config.sweepMs, run: async () => { await settleOperations(db); return 0; } },
    { name: 'ended operations', everyMs: keySweepMs, run: () => forgetOperations(db, config.operationRetentionHours, keysForgottenPerSweep) },
    { name: 'audit partitions', everyMs: auditSweepMs, run: () => keepAudit(db, config.auditRetentionMonths) },
    { name: 'enrolment tokens', everyMs: keySweepMs, run: () => forgetEndedTokens(db) },
    { name: 'restores', everyMs: Math.min(config.sweepMs, config.leaseTtlMs / 4), run: () => sweepRestore(db, config, log), inFreeze: true },
    { name: 'runs of a life before', everyMs: config.sweepMs, run: () => tellOpenRuns(db, temporal), inFreeze: true },
  ];
  expectSweeps(sweeps.map((sweep) => sweep.name));
  onReady?.();
  const figures = figuresFrom(new CachedFigures(db));
  await leadWhenever(db, { name: 'reconciler', holder: `${hostname()}/${process.pid}/${newId('req')}`, leaseMs: config.leaderLeaseMs, log, signal }, async ({ over }) => {
    provideFigures(figures);
    await Promise.all(sweeps.map((sweep) => repeat(`sweep of ${sweep.name}`, sweep.everyMs, { log, signal: over }, async () => {
      if (!sweep.inFreeze && await isFrozen(db)) return;
      const found = await measureSweep(sweep.name, sweep.run);
      if (found > 0) log.info({ sweep: sweep.name, found }, 'sweep found work');
    })));
    provideFigures(undefined);
  });
  await temporal.close();
  await (await bus)?.close();
}

if (import.meta.main) await runProcess('reconciler', runReconciler);
