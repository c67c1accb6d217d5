/**
 * A gang that trains as long as a test wants: each rank steps, reports progress and, every few steps, a shard; rank 0
 * commits. It ends with 0 when its gate is open, and goes on from the last commit. Steps cost next to no time, so that
 * a test's faults and not its training fill the two cores.
 *
 * usage: trainer.ts <gate file> [step ms]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fenced, MusterCheckpoint, Refused, writeShard } from '#infra/clients/node/muster-checkpoint.ts';

const [gate = '', stepMs = '100'] = process.argv.slice(2);
const checkpointEvery = 5;
const env = process.env;
const rank = Number(env['RANK']);
const dir = env['MUSTER_CHECKPOINT_DIR'] ?? '';
const client = MusterCheckpoint.fromEnvironment();
if (!client) throw new Error('runs under Muster only');

let step = 0;
let saving: Promise<void> | undefined;
if (env['MUSTER_RESUME_DIR']) {
  step = Number(env['MUSTER_RESUME_STEP']);
  const saved = readFileSync(path.join(env['MUSTER_RESUME_DIR'], shard(step)), 'utf8');
  if (saved !== content(step)) throw new Error(`shard of step ${step} holds ${JSON.stringify(saved)}`);
}
console.log(`starts at step ${step} of epoch ${env['MUSTER_EPOCH']}`);

while (!existsSync(gate)) {
  await delay(Number(stepMs));
  step += 1;
  if (rank === 0) writeFileSync(`${gate}.step`, String(step)); // for a test that looks while the control plane is away
  void client.progress({ step }).catch(() => undefined); // only news: an absent agent doesn't stop the training
  if (step % checkpointEvery === 0) saving ??= save(step).finally(() => { saving = undefined; }); // training never waits for it
}
await saving;
console.log(`ends at step ${step}`);

async function save(at: number): Promise<void> {
  writeShard(dir, shard(at), Buffer.from(content(at)));
  try {
    await client!.shards(at, [shard(at)], { retryForMs: 60_000 });
    if (rank === 0) await client!.commit({ step: at, layout: {}, dataPosition: {}, waitMs: 1_000 }, { retryForMs: 60_000 });
  } catch (error) {
    if (error instanceof Fenced) process.exit(error.exitCode);
    // Ranks keep their own pace; a commit whose shards are late is made up for by the next.
    if (!(error instanceof Refused)) throw error;
    console.log(`step ${at} was not committed: ${error.code}`);
  }
}

function shard(of: number): string { return `step-${of}/rank-${rank}.bin`; }
function content(of: number): string { return `rank ${rank} at step ${of}`; }
