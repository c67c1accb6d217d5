import { expect, it } from 'vitest';
import { readAgentSettings } from '#services/agent/settings.ts';

const settings = (env: Record<string, string>) => readAgentSettings({ MUSTER_NODE_NAME: 'node-1', ...env });

it('topology and labels are pairs', () => {
  expect(settings({ MUSTER_AGENT_TOPOLOGY: 'zone=a, rack=r1', MUSTER_AGENT_LABELS: 'disk=nvme' })).toMatchObject({ topology: { zone: 'a', rack: 'r1' }, labels: { disk: 'nvme' } });
});

it.for([
  ['MUSTER_NODE_NAME', 'Node_1'], ['MUSTER_NODE_NAME', 'a.b'], ['MUSTER_AGENT_TOPOLOGY', 'rack'], ['MUSTER_AGENT_LABELS', 'a=b=c'], ['MUSTER_CHECKPOINT_REACH', 'moon'],
  ['MUSTER_AGENT_DEVICES', '65'], ['MUSTER_AGENT_DEVICES', '-1'], ['MUSTER_AGENT_DEVICES', '1.5'], ['MUSTER_AGENT_MEMORY_BYTES', 'all'],
] as const)('%s=%s ends the start with its name', ([name, value]) => {
  expect(() => settings({ [name]: value })).toThrow(`${name}=${value}`);
});
