import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Layout } from './layout.ts';

export const serviceNames = ['postgres', 'temporal', 'nats'] as const;
export const roleNames = ['api', 'scheduler', 'ingest', 'relay', 'reconciler', 'worker'] as const;

export type ServiceName = (typeof serviceNames)[number];
export type RoleName = (typeof roleNames)[number];

export type PartState =
  | 'starting'
  | 'ready'
  | 'external' /** its address was given: not started by us */
  | 'restarting' /** it died, or failed to start again; the next try comes after a pause */
  | 'stopped'; /** it ended by itself with code 0: somebody stopped it on purpose */

export interface Part {
  readonly name: string;
  readonly kind: 'service' | 'role' | 'agent';
  state: PartState;
  address: string | null;
  pid: number | null;
  restarts: number;
  /** address of its metrics; the worker has those of Temporal's core besides */
  readonly metrics?: readonly string[];
  /** what happened last, where it isn't well */
  detail: string | null;
}

export interface StackView {
  readonly home: string;
  readonly supervisorPid: number;
  readonly parts: readonly Part[];
  readonly urls: { readonly api: string; readonly openapi: string; readonly temporalUi: string | null };
  readonly adminKeyFile: string;
  readonly notices: readonly string[];
}

const fileOf = (layout: Layout): string => path.join(layout.run, 'stack.json');

export function writeView(layout: Layout, view: StackView): void {
  const file = fileOf(layout);
  writeFileSync(`${file}.draft`, `${JSON.stringify(view, null, 2)}\n`);
  renameSync(`${file}.draft`, file);
}

/** The view that the last supervisor of this home wrote, or undefined. */
export function readView(layout: Layout): StackView | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(layout), 'utf8')) as StackView;
  } catch {
    return undefined;
  }
}
