import { serviceNames, type ServiceName } from './part.ts';

/** Ports of what the local stack starts; high and unusual, so that a Postgres or Temporal of the machine doesn't collide. */
const ports = {
  postgres: { variable: 'MUSTER_POSTGRES_PORT', default: 15432 },
  temporal: { variable: 'MUSTER_TEMPORAL_PORT', default: 17233 },
  temporalUi: { variable: 'MUSTER_TEMPORAL_UI_PORT', default: 18233 },
  nats: { variable: 'MUSTER_NATS_PORT', default: 14222 },
  api: { variable: 'MUSTER_API_PORT', default: 17070 },
} as const;

export type PortName = keyof typeof ports;
export type StackPorts = Readonly<Record<PortName, number>>;

/** @throws Error that names the variable, when it isn't a port or two parts have the same */
export function readPorts(env: NodeJS.ProcessEnv = process.env): StackPorts {
  const read = Object.fromEntries(Object.entries(ports).map(([name, { variable, default: fallback }]) => {
    const text = env[variable];
    const port = text === undefined || text === '' ? fallback : Number(text);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${variable}=${text}: give a port from 1 to 65535`);
    return [name, port];
  })) as Record<PortName, number>;
  for (const [name, port] of Object.entries(read)) {
    const twin = Object.entries(read).find(([other, otherPort]) => other !== name && otherPort === port);
    if (twin) throw new Error(`port ${port} is given twice: ${ports[name as PortName].variable} and ${ports[twin[0] as PortName].variable}`);
  }
  return read;
}

export const portVariable = (name: PortName): string => ports[name].variable;

const addressVariables = { postgres: 'MUSTER_DATABASE_URL', temporal: 'MUSTER_TEMPORAL_ADDRESS', nats: 'MUSTER_NATS_URL' } as const;

/** Services whose address the environment gives: they are used as they are, and nothing is started for them. */
export function givenServices(env: NodeJS.ProcessEnv = process.env): ReadonlySet<ServiceName> {
  const isGiven = (name: ServiceName): boolean => Boolean(env[addressVariables[name]] || (name === 'postgres' && env['MUSTER_DATABASE_URL_FILE']));
  return new Set(serviceNames.filter(isGiven));
}

export const addressVariable = (name: ServiceName): string => addressVariables[name];
