import { readFileSync } from 'node:fs';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseOptions } from '#infra/examples/digits/options.ts';
import { JobSpec } from '#services/jobs/spec.ts';

const spec: unknown = parse(readFileSync(new URL('../../../infra/examples/digits/job.yaml', import.meta.url), 'utf8'));

describe('job.yaml of the digits', () => {
  it('is a job that the API takes', () => {
    expect([...Value.Errors(JobSpec, spec)]).toEqual([]);
  });

  it('passes options that the program takes', () => {
    const { argv } = spec as { argv: string[] };
    expect(argv.slice(0, 2)).toEqual(['node', 'infra/examples/digits/train.ts']);
    expect(parseOptions(argv.slice(2), {})).toMatchObject({ steps: 600, stepMs: 50 });
  });
});
