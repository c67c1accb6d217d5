/** Requests made from the OpenAPI document: mostly right, sometimes wrong in one place. None may be an error of ours. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { documentFile } from '#infra/openapi/document.ts';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';
import { insertFleet } from '#test/workflow/jobs/fleet.ts';
import { valuesOf, type Schema } from './schema-values.ts';

interface Parameter { readonly name: string; readonly in: 'path' | 'query' | 'header'; readonly required?: boolean; readonly schema: Schema }
interface Operation { readonly parameters?: readonly Parameter[]; readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> }; readonly responses: Record<string, unknown> }
interface Document { readonly paths: Record<string, Record<string, Operation>>; readonly components: { readonly schemas: Record<string, Schema> } }

/** Streams answer without end, and are fuzzed by their own tests. */
const streams = new Set(['/v1/events', '/v1/jobs/{job}/logs']);
const budgetMs = 20_000;

let api: ApiWorld;
let document: Document;
let ids: readonly string[];
beforeAll(async () => {
  api = await openApiWorld({ MUSTER_PREFER_WAIT_SECONDS_MAX: '1', MUSTER_SECRET_KEY: randomBytes(32).toString('base64url') });
  await insertFleet(api.db);
  document = JSON.parse(await readFile(documentFile, 'utf8')) as Document;
  const job = (await api.post('/v1/jobs', smallJob)).body.id as string;
  const key = (await api.post('/v1/keys', { name: 'fuzzed', role: 'viewer' })).body.id as string;
  ids = [job, key, 'node-1', 'default', 'op_01h455vb4pex5vsknk084sn02q'];
});
afterAll(() => api.close());

it('no request that the document allows, and none that it forbids, is answered with 5xx or with a status that is not told', async () => {
  const operations = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/') && !streams.has(path))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  expect(operations.length).toBeGreaterThan(20);
  const met = new Map<string, Set<number>>();
  await fc.assert(fc.asyncProperty(fc.constantFrom(...operations).chain((chosen) => fc.tuple(fc.constant(chosen), requestOf(chosen.operation))), async ([{ path, method, operation }, request]) => {
    const answer = await api.raw({
      method: method.toUpperCase() as 'GET', url: urlOf(path, operation, request), headers: { ...request.headers, authorization: `Bearer ${api.key}` },
      ...(request.body === undefined ? {} : { payload: request.body as object }),
    });
    const name = `${method} ${path}`;
    met.set(name, (met.get(name) ?? new Set()).add(answer.status));
    expect(answer.status, `${name} ${JSON.stringify(answer.body)}`).toBeLessThan(500);
    expect(Object.keys(operation.responses), `${name} answers ${answer.status}: ${JSON.stringify(answer.body)}`).toContain(String(answer.status));
  }), { numRuns: 4_000, interruptAfterTimeLimit: budgetMs, markInterruptAsFailure: false });
  // A fuzzer that only meets refusals proves little.
  expect([...met.values()].filter((statuses) => [...statuses].some((status) => status < 300)).length).toBeGreaterThan(5);
}, budgetMs * 3);

interface Request { readonly values: Readonly<Record<string, unknown>>; readonly headers: Record<string, string>; readonly body: unknown }

function requestOf({ parameters = [], requestBody }: Operation): fc.Arbitrary<Request> {
  const values = fc.record(Object.fromEntries(parameters.filter((one) => one.in !== 'header').map((one) => [one.name, one.in === 'path'
    ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 40 }) })
    : fc.option(valuesOf(one.schema, document.components.schemas), { nil: undefined, freq: one.required ? 20 : 1 })])));
  const headers = fc.record(Object.fromEntries(parameters.filter((one) => one.in === 'header').map((one) => [one.name,
    fc.option(one.name === 'prefer' ? fc.constantFrom('wait=0', 'wait=x') : one.name === 'if-match' ? fc.constantFrom('"1"', '*', '"x"') : fc.stringMatching(/^[!-~]{1,40}$/), { nil: undefined })])))
    .map((all) => Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)));
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
  return fc.record({ values, headers, body: schema ? fc.oneof({ weight: 5, arbitrary: valuesOf(schema, document.components.schemas) }, { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> }) : fc.constant(undefined) })
    .map((request) => ({ ...request, body: typeof request.body === 'object' && request.body !== null ? request.body : undefined }));
}

function urlOf(path: string, { parameters = [] }: Operation, { values }: Request): string {
  const query = new URLSearchParams();
  for (const { name } of parameters.filter((one) => one.in === 'query')) for (const value of [values[name]].flat()) if (value !== undefined) query.append(name, String(value));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(values[name])));
  return query.size === 0 ? filled : `${filled}?${query}`;
}
