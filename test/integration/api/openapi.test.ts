import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { clientFile, documentFile, writeClient, writeDocument } from '#infra/openapi/document.ts';

it('docs/openapi.json and the typed client are what the routes say; `muster openapi` writes them', async () => {
  const document = await writeDocument();
  // Compared as a whole: a difference of a thousand lines would say no more.
  expect(await readFile(documentFile, 'utf8') === document, 'docs/openapi.json differs from the routes: run `muster openapi`').toBe(true);
  expect(await readFile(clientFile, 'utf8') === await writeClient(document), 'services/cli/schema.ts differs from the document: run `muster openapi`').toBe(true);
});

it('every operation has an id, a summary, a success and problems', async () => {
  const { openapi, paths } = JSON.parse(await writeDocument()) as { openapi: string; paths: Record<string, Record<string, { operationId?: string; summary?: string; responses: Record<string, unknown> }>> };
  expect(openapi).toMatch(/^3\.1/);
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })));
  for (const operation of operations) {
    expect(operation, operation.name).toMatchObject({ operationId: expect.any(String), summary: expect.any(String) });
    expect(Object.keys(operation.responses).some((status) => status.startsWith('2')), operation.name).toBe(true);
    if (operation.name.includes('/v1/')) expect(Object.keys(operation.responses), operation.name).toEqual(expect.arrayContaining(['400', '401', '403', '503']));
  }
  expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(operations.length);
});
