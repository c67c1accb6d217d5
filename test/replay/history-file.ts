/**
 * Histories as files in the JSON that Temporal's own tools read and write. The SDK's functions for it fail where npm
 * gave two of its packages a copy of protobufjs each ("type must be a Type"), so the copy of the generated code is used.
 */
import { createRequire } from 'node:module';
import type { temporal } from '@temporalio/proto';

export type History = temporal.api.history.v1.IHistory;

interface ProtoJson {
  toJson(type: unknown, message: unknown): unknown;
  fromJson(type: unknown, json: unknown, options: { readonly ignoreUnknownFields: boolean }): History;
}

const load = createRequire(import.meta.url);
const root = load('@temporalio/proto') as { lookupType(name: string): unknown; temporal: typeof temporal };
const { toJson, fromJson } = createRequire(load.resolve('@temporalio/proto'))('protobufjs/ext/protojson') as ProtoJson;
const type = (load('@temporalio/proto/lib/patch-protobuf-root') as { patchProtobufRoot(from: unknown): typeof root }).patchProtobufRoot(root).lookupType('temporal.api.history.v1.History');

/** Where and by whom it was recorded says nothing about the code. */
function anonymous(key: string, value: unknown): unknown {
  if (key === 'identity') return 'recorder';
  if (key === 'name' && typeof value === 'string' && /^\d+@/.test(value)) return 'recorder-sticky'; // <pid>@<host>-…
  return key === 'stackTrace' ? '' : value;
}

export const formatHistory = (history: History): string =>
  `${JSON.stringify(toJson(type, root.temporal.api.history.v1.History.fromObject(history)), anonymous, 1)}\n`;

export const parseHistory = (text: string): History => fromJson(type, JSON.parse(text), { ignoreUnknownFields: true });
