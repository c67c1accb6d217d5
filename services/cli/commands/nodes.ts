import type { Command } from 'commander';
import { allItems, ask, type Schema } from '../client.ts';
import { age, paintState, print, printFacts, printJson, printTable } from '../output.ts';
import { command, UsageError } from '../run.ts';
import { seconds } from '../spec-flags.ts';
import { limitOf } from './jobs.ts';

type Node = Schema<'Node'>;

export function registerNodes(program: Command): void {
  const list = program.command('nodes').description('list nodes with their devices and what is in use').option('--limit <n>', 'at most so many', '1000');
  command<{ limit: string }>(list, async ({ client, json }, options) => {
    const nodes = await allItems(limitOf(options.limit), (page) => ask(client.GET('/v1/nodes', { params: { query: page } })));
    if (json) printJson(nodes);
    else printNodes(nodes);
  });

  command(program.command('node').description('show a node: why it takes no work, its devices and members').argument('<node>'), async ({ client, json }, _options, [node = '']) => {
    const found = await ask(client.GET('/v1/nodes/{node}', { params: { path: { node } } }));
    if (json) printJson(found);
    else printNode(found);
  });
}

function printNodes(nodes: readonly Node[]): void {
  printTable(['NODE', 'STATE', 'TAKES WORK', 'DEVICES', 'MODELS', 'CPU', 'PLACE', 'HEARD'], nodes.map((node) => [
    node.name,
    paintState(node.state),
    node.schedulable ? 'yes' : `no: ${node.obstacles.map((obstacle) => obstacle.code).join(', ')}`,
    `${node.devices.filter((device) => device.usedMilli > 0).length}/${node.devices.length}`,
    modelsOf(node),
    `${node.cpuUsedMilli / 1000}/${node.cpuMilli / 1000}`,
    ['zone', 'rack'].map((level) => node.topology[level]).filter(Boolean).join('/'),
    node.heardAgoMs === null ? 'never' : `${age(node.heardAgoMs)} ago`,
  ]));
}

function printNode(node: Node): void {
  printFacts({
    node: node.name,
    state: paintState(node.state),
    'takes work': node.schedulable ? 'yes' : node.obstacles.map((obstacle) => obstacle.detail).join('; '),
    address: node.address,
    agent: node.agentVersion,
    boot: node.bootId,
    heard: node.heardAgoMs === null ? 'never' : `${age(node.heardAgoMs)} ago`,
    cpu: `${node.cpuUsedMilli / 1000} of ${node.cpuMilli / 1000} cores`,
    memory: `${node.memoryUsedBytes} of ${node.memoryBytes} bytes`,
    devices: `${node.devices.length} (${modelsOf(node)})`,
    topology: pairs(node.topology),
    labels: pairs(node.labels),
  });
  if (node.members.length > 0) printTable(['JOB', 'EPOCH', 'RANK', 'STATE', 'DEVICES'], node.members.map((member) => [member.job, member.epoch, String(member.rank), paintState(member.state), member.devices.join(',')]));
}

const modelsOf = (node: Node): string => [...new Set(node.devices.map((device) => device.model))].join(',');
const pairs = (labels: Readonly<Record<string, string>>): string => Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(' ');

export function registerCordons(program: Command): void {
  const cordon = program.command('cordon').description('keep new work away from a node; what runs goes on').argument('<node>').requiredOption('--reason <text>', 'for people');
  command<{ reason: string }>(cordon, async ({ client, json }, { reason }, [node = '']) => {
    const found = await ask(client.POST('/v1/nodes/{node}/cordon', { params: { path: { node } }, body: { reason } }));
    if (json) printJson(found);
    else print(`${found.name}  takes no new work`);
  });

  command(program.command('uncordon').description("lift an operator's cordon").argument('<node>'), async ({ client, json }, _options, [node = '']) => {
    const found = await ask(client.POST('/v1/nodes/{node}/uncordon', { params: { path: { node } }, body: {} }));
    if (json) printJson(found);
    else print(`${found.name}  ${found.schedulable ? 'takes work' : `takes no work yet: ${found.obstacles.map((obstacle) => obstacle.detail).join('; ')}`}`);
  });
}

export function registerRotation(program: Command): void {
  const definition = program.command('rotate-credential').description('have a node replace its credential; its members run on').argument('<node>').requiredOption('--reason <text>', 'for people');
  command<{ reason: string }>(definition, async ({ client, json }, { reason }, [node = '']) => {
    const found = await ask(client.POST('/v1/nodes/{node}/rotate-credential', { params: { path: { node } }, body: { reason } }));
    if (json) printJson(found);
    else print(`${found.name}  is told to replace its credential`);
  });
}

export function registerEnrolmentToken(program: Command): void {
  const definition = program.command('enrolment-token').description('make a token that lets one node in, once; it is shown once')
    .option('--node <name>', 'the only node that may use it')
    .option('--ttl <time>', 'how long it may be used, e.g. 15m', '15m');
  command<{ node?: string; ttl: string }>(definition, async ({ client, json }, { node, ttl }) => {
    const ttlSeconds = seconds('--ttl', ttl);
    if (ttlSeconds === 0) throw new UsageError('--ttl 0: give at least 1s');
    const token = await ask(client.POST('/v1/enrolment-tokens', { body: { ttlSeconds, ...(node === undefined ? {} : { node }) } }));
    if (json) printJson(token);
    else print(token.token);
  });
}
