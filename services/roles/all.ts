/** The whole control plane in one process: for small fleets and tests. Each part is the role of its own file. */
import { runApi } from './api.ts';
import { runIngest } from './ingest.ts';
import { runProcess, type Role } from './process.ts';
import { runReconciler } from './reconciler.ts';
import { runRelay } from './relay.ts';
import { runScheduler } from './scheduler.ts';
import { installTemporalRuntime, runWorker } from './worker.ts';

const parts = [runApi, runIngest, runReconciler, runRelay, runScheduler, runWorker];

export async function runAll(role: Role): Promise<void> {
  let ready = 0;
  const onReady = (): void => { if (++ready === parts.length) role.onReady?.(); };
  installTemporalRuntime(role.log, role.config);
  await Promise.all(parts.map((run) => run({ ...role, onReady })));
}

if (import.meta.main) await runProcess('all', runAll);
