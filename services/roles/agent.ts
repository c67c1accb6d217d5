/**
 * The agent of one node, as a process: `node services/roles/agent.ts`. SIGTERM ends the agent and leaves its members
 * running, for its successor to take over; MUSTER_AGENT_STOP_MEMBERS_ON_EXIT=1 makes it take them along.
 */
import { startAgent } from '#services/agent/agent.ts';
import { readAgentSettings } from '#services/agent/settings.ts';
import { openLog } from '#services/platform/log.ts';
import { agentBeats, agentLogBytes, agentMembers } from '#services/platform/metrics.ts';
import { readAtScrape } from '#services/platform/metrics-scrape.ts';
import { serveMetrics } from '#services/platform/metrics-server.ts';

const endsWithinMs = 10_000;

const settings = readAgentSettings();
const log = openLog('agent', settings.logLevel).child({ node: settings.node });
const agent = await startAgent(settings, log, {
  beat: (result) => agentBeats.inc({ result }),
  logged: (bytes) => agentLogBytes.inc(bytes),
});
readAtScrape('agent', () => agentMembers.set(agent.members()));
const metrics = await serveMetrics({ role: 'agent', host: settings.metricsHost, port: settings.metricsPort }, log);

let isEnding = false;
async function end(exitCode: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  setTimeout(() => process.exit(1), endsWithinMs).unref();
  await agent.stop();
  await metrics?.close();
  process.exit(exitCode);
}

for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => void end(0));
void agent.failed.then((error) => {
  log.fatal({ err: error }, error.message);
  void end(1);
});
process.send?.({ ready: true });
