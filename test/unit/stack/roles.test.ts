import { expect, it } from 'vitest';
import { rackOf } from '#infra/stack/roles.ts';
import { readPorts } from '#infra/stack/ports.ts';

it.each([
  [4, 2, [1, 1, 2, 2]],
  [5, 2, [1, 1, 1, 2, 2]],
  [2, 4, [1, 3]],
  [3, 1, [1, 1, 1]],
])('%i agents in %i racks stand in racks %j', (agents, racks, expected) => {
  expect(Array.from({ length: agents }, (_, index) => rackOf(index, agents, racks))).toEqual(expected);
});

it('a port that is none, or given twice, is refused with the name of its variable', () => {
  expect(() => readPorts({ MUSTER_NATS_PORT: '70000' })).toThrow(/MUSTER_NATS_PORT=70000/);
  expect(() => readPorts({ MUSTER_NATS_PORT: '5', MUSTER_API_PORT: '5' })).toThrow(/MUSTER_NATS_PORT and MUSTER_API_PORT/);
});
