/** The ingest role: lets agents in, takes their heartbeats and calls. Any number may run; they share the subjects. */
import { parseBeat } from '../fleet/beat-schema.ts';
import { receiveBeat } from '../fleet/beat.ts';
import { startAuthCallout } from '../fleet/auth-callout.ts';
import { answerCalls } from '../fleet/calls.ts';
import { answerEnrolments } from '../fleet/enrolment-service.ts';
import { subjects, type Answer, type BeatRefusal } from '../fleet/model.ts';
import { ingestHeartbeatMs, noteIngestUp } from '../fleet/silence.ts';
import { connectControl, type Bus } from '../platform/nats/bus.ts';
import { measuredBeats, withMeasuredCalls } from './measure.ts';
import { aborted, repeat, runProcess, type Role } from './process.ts';
import { wakeAndNudgeOver } from './wake.ts';

export async function runIngest(role: Role): Promise<void> {
  const { config, db, log, signal, onReady } = role;
  const bus = await connectControl(config, log, 'ingest', signal);
  wakeAndNudgeOver(bus);
  const logins = await startAuthCallout(db, config, log);
  const services = [answerEnrolments(bus, db, log), answerCalls(withMeasuredCalls(bus), db, config, log), answerBeats(role, bus)];
  const heartbeat = repeat('ingest heartbeat', ingestHeartbeatMs(config), role, async () => {
    // Cut off from NATS it hears nobody, and lets nobody in again: nobody's silence may count then (P16).
    await Promise.all([bus.flush(), logins.flush()]);
    await noteIngestUp(db, config);
  });
  await bus.flush();
  log.info({ nats: config.natsUrl }, 'ingest listens');
  onReady?.();
  await aborted(signal);
  await Promise.all(services.map((service) => service.close()));
  await Promise.all([heartbeat, logins.close()]);
  await bus.close();
}

/** One bad or silent agent never delays another: handlers are bounded, and what doesn't parse costs a refusal. */
function answerBeats({ config, db, log }: Role, bus: Bus) {
  return bus.respond(subjects.allBeats, measuredBeats(async (value, subject): Promise<Answer | BeatRefusal> => {
    const beat = parseBeat(value);
    if (typeof beat === 'string') return { refused: 'invalid', detail: beat };
    if (subject !== subjects.beat(beat.node)) return { refused: 'invalid', detail: 'the beat names another node than its subject' };
    try {
      return await receiveBeat(db, beat, config);
    } catch (error) {
      log.warn({ node: beat.node, error: error instanceof Error ? error.message : String(error) }, 'a beat was not taken');
      return { refused: 'unavailable', detail: 'the control plane can not take the beat now' };
    }
  }), { inFlightMax: config.beatsInFlightMax, bytesMax: config.beatBytesMax });
}

if (import.meta.main) await runProcess('ingest', runIngest);
