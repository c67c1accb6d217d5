/** The API over a database of its own, asked without a socket, with a key that may do everything. */
import type { InjectOptions } from 'fastify';
import type { Api } from '#services/platform/http.ts';
import type { Environment } from '#services/platform/config.ts';
import { createApi } from '#services/roles/api.ts';
import { createApiKey } from '#services/teams/api-keys.ts';
import { openWorld, type World } from './world.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  readonly body: any;
}

export interface ApiWorld extends World {
  readonly app: Api;
  readonly key: string;
  get(url: string, headers?: Record<string, string>): Promise<Answer>;
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** as given: no key, no content type */
  raw(options: InjectOptions): Promise<Answer>;
}

export async function openApiWorld(settings: Environment = {}): Promise<ApiWorld> {
  const world = await openWorld(settings);
  const app = await createApi({ db: world.db, config: world.config, log: world.log, bus: () => undefined });
  const key = await createApiKey(world.db, { name: 'test', scopes: ['*'] });
  const raw = async (options: InjectOptions): Promise<Answer> => {
    const response = await app.inject(options);
    const isJson = String(response.headers['content-type']).includes('json');
    return { status: response.statusCode, headers: response.headers, body: isJson ? response.json() : response.body };
  };
  return {
    ...world, app, key, raw,
    get: (url, headers) => raw({ method: 'GET', url, headers: { authorization: `Bearer ${key}`, ...headers } }),
    post: (url, body, headers) => raw({
      method: 'POST', url, headers: { authorization: `Bearer ${key}`, ...headers }, ...(body === undefined ? {} : { payload: body as object }),
    }),
    close: async () => {
      await app.close();
      await world.close();
    },
  };
}

export const smallJob = { name: 'small', argv: ['true'] };

/** Pointers of the fields that an answer complains about. */
export const pointersOf = (answer: Answer): string[] => (answer.body.errors as { pointer: string }[]).map((error) => error.pointer);
