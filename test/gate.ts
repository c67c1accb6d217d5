/**
 * The whole gate, as `npm test` runs it: types, lint, import rule, then every test on one real stack. Each of the first
 * three counts as one. The last line is `N passed, N failed`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { repositoryRoot } from '#services/platform/config.ts';

interface Tally { passed: number; failed: number }

const bin = (name: string): string => path.join(repositoryRoot, 'node_modules', name);

const checks = [
  { name: 'types', script: bin('typescript/bin/tsc'), args: ['--noEmit', '-p', '.'] },
  { name: 'lint', script: bin('eslint/bin/eslint.js'), args: ['.', '--max-warnings', '0'] },
  { name: 'import rule', script: bin('dependency-cruiser/bin/dependency-cruiser.mjs'), args: ['services', 'activities', 'workflows', '--config', '.dependency-cruiser.cjs'] },
];

/** Longer than the gate may take: then something hangs, and its output says what. */
const timeoutMs = 80 * 60_000;

async function runNode(script: string, args: readonly string[]): Promise<boolean> {
  const { failed } = await execa(process.execPath, [script, ...args], { cwd: repositoryRoot, stdio: ['ignore', 'inherit', 'inherit'], reject: false, timeout: timeoutMs });
  return !failed;
}

async function check(tally: Tally, { name, script, args }: (typeof checks)[number]): Promise<void> {
  const startedAt = performance.now();
  const passed = await runNode(script, args);
  tally[passed ? 'passed' : 'failed']++;
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

interface VitestReport { readonly numPassedTests: number; readonly numFailedTests: number; readonly numFailedTestSuites: number; readonly success: boolean }

/** @param filters  file name parts, for running a part of the gate by hand */
async function test(tally: Tally, filters: readonly string[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'muster-gate-'));
  const report = path.join(folder, 'report.json');
  try {
    const passed = await runNode(bin('vitest/vitest.mjs'), ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters]);
    const counts = JSON.parse(await readFile(report, 'utf8')) as VitestReport;
    tally.passed += counts.numPassedTests;
    // A file that fails to load has no failed test of its own, and neither has an unhandled error.
    tally.failed += Math.max(counts.numFailedTests, passed ? 0 : 1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function main(filters: readonly string[]): Promise<void> {
  const tally: Tally = { passed: 0, failed: 0 };
  if (filters.length === 0) for (const one of checks) await check(tally, one);
  await test(tally, filters).catch((error: unknown) => {
    tally.failed++;
    console.error(error);
  });
  process.exitCode = tally.failed === 0 ? 0 : 1;
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
}

await main(process.argv.slice(2));
