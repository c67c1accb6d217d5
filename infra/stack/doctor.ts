import color from 'picocolors';
import { readConfig } from '#services/platform/config.ts';
import type { Check, CheckContext, CheckResult } from './checks/check.ts';
import { checkDisk, checkHome, checkNode, checkPostgresLinks, checkProgram, checkPython } from './checks/machine.ts';
import { checkPort } from './checks/ports.ts';
import { checkApi, checkMigrations, checkNats, checkPostgres, checkSearchAttributes, checkStreams, checkTemporal } from './checks/services.ts';
import { describe } from './error.ts';
import { supervisor } from './guard.ts';
import { layoutOf } from './layout.ts';
import { livingParts } from './pid-file.ts';
import { givenServices, readPorts } from './ports.ts';

const checks: readonly Check[] = [
  checkNode, checkPython, checkProgram('postgres'), checkProgram('temporal'), checkProgram('nats'), checkPostgresLinks,
  checkHome, checkDisk,
  checkPort('postgres'), checkPort('temporal'), checkPort('temporalUi'), checkPort('nats'), checkPort('api'),
  checkPostgres, checkMigrations, checkTemporal, checkSearchAttributes, checkNats, checkStreams, checkApi,
];

export async function runChecks(home: string): Promise<CheckResult[]> {
  const layout = layoutOf(home);
  const context: CheckContext = {
    layout,
    config: readConfig(),
    ports: readPorts(),
    isRunning: livingParts(layout.run).some((part) => part.name === supervisor),
    given: givenServices(),
  };
  return Promise.all(checks.map((check) => runCheck(check, context)));
}

/** One line a check, with its remedy below where there is one. */
export function showChecks(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map((result) => result.name.length));
  const marks = { ok: color.green('ok  '), warn: color.yellow('warn'), fail: color.red('fail') };
  return results.flatMap(({ name, state, found, remedy }) =>
    [`${marks[state]}  ${name.padEnd(width)}  ${found}`, ...(remedy ? [`${' '.repeat(width + 8)}→ ${remedy}`] : [])]).join('\n');
}

/** A check that fails itself is a failed check, not the end of the others. */
async function runCheck(check: Check, context: CheckContext): Promise<CheckResult> {
  try {
    return await check(context);
  } catch (error) {
    return { name: check.name || 'check', state: 'fail', found: describe(error), remedy: 'Report this together with the output of `muster doctor --json`.' };
  }
}
