/** `muster simfleet`: a fleet of simulated nodes that speak the real protocol, until Ctrl-C. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { openLog } from '../../platform/log.ts';
import { SimulatedFleet, type FleetState } from '../../simfleet/fleet.ts';
import { completeScenario, parseScenario, readScenario, ScenarioError, type Scenario } from '../../simfleet/scenario.ts';
import { ask, type Client } from '../client.ts';
import { exitCodes } from '../exit-codes.ts';
import { note, printFacts, printJson } from '../output.ts';
import { command, UsageError } from '../run.ts';
import { seconds } from '../spec-flags.ts';
import { interruptible } from '../watch.ts';

interface Options { readonly scenario?: string; readonly nodes?: string; readonly seed?: string; readonly for?: string; readonly every: string; readonly verbose?: boolean }

const tokenSeconds = 600;

export function registerSimfleet(program: Command): void {
  const definition = program.command('simfleet').description('run simulated nodes that speak the real protocol, until Ctrl-C')
    .option('--scenario <file>', 'YAML or JSON: nodes, programs, faults (docs/simfleet.md)')
    .option('--nodes <n>', 'how many; wins over the scenario')
    .option('--seed <n>', 'wins over the scenario')
    .option('--for <time>', 'end after that long, e.g. 10m')
    .option('--every <time>', 'how often to tell how it goes', '10s')
    .addOption(new Option('--verbose', 'log what each agent logs'));
  command<Options>(definition, async ({ client, json }, options) => {
    const scenario = scenarioOf(options);
    const [everyMs, lengthMs] = [1_000 * seconds('--every', options.every), options.for === undefined ? Infinity : 1_000 * seconds('--for', options.for)];
    if (everyMs === 0) throw new UsageError('--every 0: give at least 1s');
    return interruptible((signal) => simulate(scenario, client, { json, everyMs, lengthMs, verbose: options.verbose ?? false, signal }));
  });
}

function scenarioOf({ scenario: file, nodes, seed }: Options): Scenario {
  try {
    const read = file === undefined ? completeScenario({ version: 1, nodes: { count: 8 } }) : readScenario(file);
    return parseScenario(JSON.stringify({
      ...read, version: 1, seed: seed === undefined ? read.seed : wholeNumber('--seed', seed),
      nodes: { ...read.nodes, ...(nodes === undefined ? {} : { count: wholeNumber('--nodes', nodes) }) },
    }), file ?? 'options');
  } catch (error) {
    if (error instanceof ScenarioError) throw new UsageError(error.message);
    throw error;
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new UsageError(`${name} ${text}: give a whole number`);
  return value;
}

interface Run { readonly json: boolean; readonly everyMs: number; readonly lengthMs: number; readonly verbose: boolean; readonly signal: AbortSignal }

async function simulate(scenario: Scenario, client: Client, run: Run): Promise<number> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'muster-simfleet-'));
  const fleet = new SimulatedFleet({
    scenario, dataDir, natsUrl: readConfig().natsUrl, log: openLog('simfleet', run.verbose ? 'warn' : 'fatal'),
    tokenFor: async (node) => (await ask(client.POST('/v1/enrolment-tokens', { body: { node, ttlSeconds: tokenSeconds } }))).token,
  });
  const show = (): void => report(fleet.state(), run.json);
  const timer = setInterval(show, run.everyMs);
  try {
    note(`${scenario.nodes.count} simulated nodes, seed ${scenario.seed}; Ctrl-C ends them`);
    await fleet.start(run.signal);
    show();
    const over = delay(Math.min(run.lengthMs, 2 ** 31 - 1), undefined, { signal: run.signal }).catch(() => undefined);
    const failure = await Promise.race([fleet.failed, over]);
    if (failure instanceof Error) throw failure;
    return exitCodes.ok;
  } finally {
    clearInterval(timer);
    await fleet.close();
    show();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function report(state: FleetState, json: boolean): void {
  if (json) return printJson(state, false);
  const { counts, faults, beatMs } = state;
  printFacts({
    nodes: `${state.nodesUp} of ${state.nodes} up`,
    beats: `${counts.beats} sent, ${counts.answers} answered, ${counts['refused beats']} refused, ${counts.unanswered} without an answer; ${beatMs.samples === 0 ? 'no times yet' : `p50 ${beatMs.p50} ms, p99 ${beatMs.p99} ms`}`,
    members: `${state.membersActive} active, ${counts['members started']} started, ${counts['members exited']} exited, ${counts['members stopped']} stopped, ${counts['members refused']} refused`,
    faults: Object.entries(faults).map(([kind, times]) => `${kind} ${times}`).join(', '),
  });
}
