/** `GET /v1/overview`: the cluster at a glance, for `muster top` and for people's own dashboards. */
import Type, { type Static } from 'typebox';
import { dispatcherConsumer } from '../events/dispatch.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { refTo, type Api } from '../platform/http.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { consumerLag } from '../platform/nats/consumer-lag.ts';
import { nodeStates } from '../fleet/model.ts';
import { CachedFigures, type ReadAt } from './cached-figures.ts';
import { activeStates, queueClasses } from './figures.ts';

export interface OverviewDeps {
  readonly db: Db;
  readonly config: Pick<Config, 'scope'>;
  readonly bus: () => Bus | undefined;
}

const count = Type.Integer({ minimum: 0 });
const NodesIn = Type.Object({ total: count, schedulable: count });

export const OverviewView = Type.Object({
  at: Type.String({ format: 'date-time', description: "By the database's clock" }),
  ageMs: Type.Integer({ description: 'Since it was read; it is read at most once a second' }),
  fleet: Type.Object({
    nodes: Type.Object(Object.fromEntries(nodeStates.map((state) => [state, NodesIn])), { description: 'By state; schedulable ones take new work' }),
    models: Type.Array(Type.Object({
      model: Type.String(), devices: count,
      healthy: count,
      schedulable: Type.Integer({ description: 'Healthy, on nodes that take new work' }),
      usedMilli: Type.Integer({ description: 'Thousandths of a device that are allocated' }),
    })),
    fencedMembers: Type.Integer({ description: 'Members of fenced epochs whose devices stay blocked until proof' }),
  }),
  queue: Type.Array(Type.Object({ class: Type.Enum([...queueClasses]), jobs: count, oldestAgeMs: Type.Integer() }), { description: 'Waiting jobs by priority class, highest first' }),
  jobs: Type.Object(Object.fromEntries(activeStates.map((state) => [state, count])), { description: 'Active jobs by state' }),
  events: Type.Object({
    unnumberedRows: count, unrelayedRows: count,
    relayLagMs: Type.Integer({ description: 'Age of the oldest event that is not published' }),
    dispatcherLag: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Published events that supervision has not been told; null while NATS does not answer' }),
  }),
  deadLetters: Type.Object({ dead: count, redriven: count }),
  leaders: Type.Array(Type.Object({ name: Type.String(), held: Type.Boolean({ description: 'Somebody holds the lease now' }) })),
}, { $id: 'Overview' });

export function overviewRoutes(app: Api, { db, config, bus }: OverviewDeps): void {
  const figures = new CachedFigures(db);
  app.addSchema(OverviewView);
  app.get('/v1/overview', {
    schema: { operationId: 'overview', summary: 'Fleet, queue, jobs and lag in numbers', tags: ['operations'], querystring: Type.Object({}, { additionalProperties: false }), response: { 200: refTo(OverviewView) } },
    config: { allow: 'overview:read' },
  }, async () => {
    const [read, lag] = await Promise.all([figures.read(), lagOf(bus(), config)]);
    return toOverviewView(read, lag);
  });
}

/** The API serves without NATS: what only NATS knows is then unknown. */
async function lagOf(bus: Bus | undefined, { scope }: Pick<Config, 'scope'>): Promise<number | null> {
  return bus ? consumerLag(bus, scope, dispatcherConsumer).catch(() => null) : null;
}

function toOverviewView({ figures, ageMs }: ReadAt, dispatcherLag: number | null): Static<typeof OverviewView> {
  return {
    at: figures.at.toISOString(),
    ageMs: Math.round(ageMs),
    fleet: {
      nodes: Object.fromEntries(Object.entries(figures.nodes).map(([state, { schedulable, other }]) => [state, { total: schedulable + other, schedulable }])),
      models: figures.models.map(({ model, devices, health, schedulable, usedMilli }) => ({ model, devices, healthy: health['ok'] ?? 0, schedulable, usedMilli })),
      fencedMembers: figures.fencedMembers,
    },
    queue: figures.queue.map((of) => ({ ...of, oldestAgeMs: Math.round(of.oldestAgeMs) })),
    jobs: { ...figures.active },
    events: { unnumberedRows: figures.outbox.unnumberedRows, unrelayedRows: figures.outbox.unrelayedRows, relayLagMs: Math.round(figures.outbox.lagMs), dispatcherLag },
    deadLetters: figures.deadLetters,
    leaders: [...figures.leaders],
  };
}
