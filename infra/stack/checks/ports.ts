import { isFree, portOwner } from '../port-owner.ts';
import { portVariable, type PortName } from '../ports.ts';
import { livingParts } from '../pid-file.ts';
import { fail, ok, type Check } from './check.ts';

/** A port is well when it is free, or when the part that belongs there holds it. */
export const checkPort = (name: PortName): Check => async ({ ports, layout, given }) => {
  const check = `port ${name}`;
  const service = name === 'temporalUi' ? 'temporal' : name;
  if (service !== 'api' && given.has(service)) return ok(check, 'not needed: its address is given');
  const port = ports[name];
  if (await isFree(port)) return ok(check, `${port} is free`);
  const owner = portOwner(port);
  if (owner && livingParts(layout.run).some((part) => part.pid === owner.pid)) return ok(check, `${port} is held by ${service} (${owner.pid})`);
  return fail(check, `${port} is in use by ${owner ? `process ${owner.pid}: ${owner.command}` : 'a process of another user'}`,
    `End that process, or choose another port with ${portVariable(name)}.`);
};
