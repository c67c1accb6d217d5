import type { Event } from '../events/model.ts';
import type { Manifest } from './model.ts';

/**
 * A checkpoint is an object of its own with two versions, committed and bad: so its events neither need the job's
 * version nor hide behind it.
 */
export function checkpointEvent(kind: 'checkpoint.committed' | 'checkpoint.bad', manifest: Manifest, teamId: string, reason: string | null): Event {
  return {
    key: `checkpoint/${manifest.id}`,
    version: kind === 'checkpoint.committed' ? 1n : 2n,
    kind,
    payload: {
      checkpoint: manifest.id, job: manifest.jobId, team: teamId, epoch: manifest.epoch.toString(), step: manifest.step.toString(),
      bytes: manifest.bytes.toString(), reason,
    },
  };
}
