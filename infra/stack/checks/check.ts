import type { Config } from '#services/platform/config.ts';
import type { Layout } from '../layout.ts';
import type { ServiceName } from '../part.ts';
import type { StackPorts } from '../ports.ts';

export interface CheckResult {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** what to do, where something is to be done */
  readonly remedy: string | null;
}

export interface CheckContext {
  readonly layout: Layout;
  readonly config: Config;
  readonly ports: StackPorts;
  /** whether a supervisor of this home runs; services that nobody started aren't a failure */
  readonly isRunning: boolean;
  /** services whose address was given, so that they are reached even when no stack runs */
  readonly given: ReadonlySet<ServiceName>;
}

export type Check = (context: CheckContext) => CheckResult | Promise<CheckResult>;

export const ok = (name: string, found: string): CheckResult => ({ name, state: 'ok', found, remedy: null });
export const warn = (name: string, found: string, remedy: string): CheckResult => ({ name, state: 'warn', found, remedy });
export const fail = (name: string, found: string, remedy: string): CheckResult => ({ name, state: 'fail', found, remedy });
