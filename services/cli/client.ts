/** The typed client of the REST API: types from docs/openapi.json, used by every command and by tests. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import createClient, { type Client as FetchClient } from 'openapi-fetch';
import { readConfig, type Environment } from '../platform/config.ts';
import type { components, paths } from './schema.ts';

export type Client = FetchClient<paths>;
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
export type Problem = Schema<'Problem'>;
export type Job = Schema<'Job'>;

export interface Connection {
  readonly url: string;
  readonly key: string;
}

/** The API refused; what it said is in `problem`. */
export class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.title);
    this.problem = problem;
  }
}

/** Nobody answers, or what answers is not the API. */
export class Unreachable extends Error {}

/** A request that gets no answer in that time is given up; streams have no such limit. */
const requestTimeoutMs = 30_000;

/** From MUSTER_API_URL and MUSTER_API_KEY (or …_FILE); for the local stack from its port and its key file. */
export function readConnection(env: Environment = process.env): Connection {
  const config = readConfig(env);
  const file = env['MUSTER_API_KEY_FILE'] ?? path.join(config.home, 'secrets', 'admin-key');
  const key = env['MUSTER_API_KEY'] || (existsSync(file) ? readFileSync(file, 'utf8').trim() : '');
  return { url: config.apiUrl.replace(/\/+$/, ''), key };
}

export function connect({ url, key }: Connection): Client {
  return createClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${key}` },
    querySerializer: { array: { style: 'form', explode: true } },
    fetch: (request) => {
      // Where the answer is lost on its way, who repeats the request gets it again, and not a second effect.
      if (request.method === 'POST' && !request.headers.has('idempotency-key')) request.headers.set('idempotency-key', randomUUID());
      return fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(requestTimeoutMs)]) }).catch((error: unknown) => {
        throw unreachable(url, error);
      });
    },
  });
}

export function unreachable(url: string, error: unknown): Unreachable {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  const why = cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
  return new Unreachable(`${url} does not answer: ${why}`, { cause: error });
}

interface Answer<Data> { readonly data?: Data; readonly error?: unknown; readonly response: Response }

/** The data of an answer. @throws Refused · Unreachable */
export async function ask<Data>(answering: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answering;
  if (data !== undefined && data !== null && response.ok) return data;
  throw refusalOf(error, response);
}

export function refusalOf(error: unknown, response: Response): Refused | Unreachable {
  if (typeof error === 'object' && error !== null && 'code' in error && 'title' in error) return new Refused(error as Problem);
  return new Unreachable(`${response.url || 'the address'} answered ${response.status}, which is not the Muster API`);
}

interface Page<Item> { readonly items: Item[]; readonly next_page_token: string | null }
export interface PageQuery { page_size: number; page_token?: string }

/** Items of a list, page after page, at most `limit`. */
export async function allItems<Item>(limit: number, read: (page: PageQuery) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let token: string | null | undefined; token !== null && items.length < limit;) {
    const page: Page<Item> = await read({ page_size: Math.min(limit - items.length, 200), ...(token === undefined ? {} : { page_token: token }) });
    items.push(...page.items);
    token = page.next_page_token;
  }
  return items;
}
