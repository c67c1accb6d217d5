/**
 * The workflow bundle: made once for each content of the sources, kept in MUSTER_HOME/run, so that a second start of
 * the worker takes no webpack.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { repositoryRoot, type Config } from '#services/platform/config.ts';
import type { Log } from '#services/platform/log.ts';
import { temporalLogger } from '#services/platform/temporal-log.ts';

export const workflowsPath = path.join(repositoryRoot, 'workflows/index.ts');
const bundleName = /^workflows-[0-9a-f]{16}\.js$/;
/** The current one and what a rollback needs. */
const keptMax = 3;

export async function loadWorkflowBundle(config: Pick<Config, 'home'>, log: Log): Promise<WorkflowBundleOption> {
  const folder = path.join(config.home, 'run');
  const codePath = path.join(folder, `workflows-${await contentHash()}.js`);
  if (await stat(codePath).catch(() => undefined)) return { codePath };
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: temporalLogger(log.child({}, { level: 'warn' })) });
  await mkdir(folder, { recursive: true });
  const unfinished = `${codePath}.${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, codePath);
  await removeOldBundles(folder);
  return { codePath };
}

/** Over everything a bundle is made of: workflow sources, the models that they may import, and the versions of the SDK and webpack. */
async function contentHash(): Promise<string> {
  const files = [...await sourcesBelow('workflows', /\.ts$/), ...await sourcesBelow('services', /(^|\/)model\.ts$/), 'package-lock.json'].sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update('\0').update(await readFile(path.join(repositoryRoot, file))).update('\0');
  return hash.digest('hex').slice(0, 16);
}

async function sourcesBelow(folder: string, name: RegExp): Promise<string[]> {
  const entries = await readdir(path.join(repositoryRoot, folder), { recursive: true });
  return entries.filter((entry) => name.test(entry)).map((entry) => path.join(folder, entry));
}

async function removeOldBundles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => bundleName.test(name));
  const dated = await Promise.all(names.map(async (name) => ({ name, at: (await stat(path.join(folder, name))).mtimeMs })));
  const old = dated.sort((a, b) => b.at - a.at).slice(keptMax);
  await Promise.all(old.map(({ name }) => rm(path.join(folder, name), { force: true })));
}
