/** The demo's job: the digits gang of infra/examples, as a user would submit it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import type { Schema } from '#services/cli/client.ts';
import { repositoryRoot } from '#services/platform/config.ts';

export type JobSpec = Schema<'JobSpec'>;

const specFile = path.join(repositoryRoot, 'infra/examples/digits/job.yaml');

export async function readDigitsSpec(): Promise<JobSpec> {
  const spec = parse(await readFile(specFile, 'utf8')) as JobSpec;
  return { ...spec, workingDirectory: repositoryRoot };
}
