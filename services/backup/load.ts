/** Loads the rows of a backup into the schema that it was taken of, in one transaction, streaming. */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Digest } from './backup.ts';
import type { Manifest, Progress, TableFile } from './model.ts';
import { quoted, tablesToCopy } from './tables.ts';

/**
 * Rows that migrations had made go first. From the commit on the database is frozen and of the new incarnation: what
 * looks at it before the restore is over decides nothing.
 *
 * @throws Error, where a file differs from its digest now, though it was verified before
 */
export async function loadRows(client: Client, folder: string, manifest: Manifest, incarnation: number, onProgress?: Progress): Promise<void> {
  const totalBytes = manifest.tables.reduce((sum, table) => sum + table.bytes, 0);
  let bytes = 0;
  await client.query('begin');
  const order = (await tablesToCopy(client)).map((shape) => shape.table);
  for (const table of order.toReversed()) await client.query(`delete from ${quoted(table)}`);
  for (const month of manifest.auditMonths) await makeAuditMonth(client, month);
  for (const table of manifest.tables.toSorted((a, b) => order.indexOf(a.table) - order.indexOf(b.table))) {
    await loadTable(client, folder, table, (chunk) => {
      bytes += chunk;
      onProgress?.({ phase: table.table, bytes, totalBytes });
    });
  }
  await client.query('update cluster set incarnation = $1, frozen_at = clock_timestamp()', [incarnation]);
  await setSequences(client);
  await client.query('commit');
}

async function loadTable(client: Client, folder: string, { table, file, columns, sha256, rows }: TableFile, onBytes: (bytes: number) => void): Promise<void> {
  const into = client.query(copyFrom(`copy ${quoted(table)} (${columns.map(quoted).join(', ')}) from stdin`));
  const digest = new Digest(onBytes);
  await pipeline(createReadStream(path.join(folder, file)), digest, into);
  if (digest.hex() !== sha256 || into.rowCount !== rows) throw new Error(`${file} changed while it was restored`);
}

/** As keep_audit makes them: without its partition a month would never be dropped. */
async function makeAuditMonth(client: Client, month: string): Promise<void> {
  const partition = quoted(`audit_p${month}`);
  await client.query(`create table ${partition} (like audit including defaults)`);
  await client.query(`revoke all on ${partition} from muster_app`);
  const first = `to_date('${month.replace(/\D/g, '')}', 'YYYYMM')::timestamp at time zone 'UTC'`;
  const { rows: [bounds] } = await client.query<{ from: string; to: string }>(`select (${first})::text as from, ((to_date('${month.replace(/\D/g, '')}', 'YYYYMM') + interval '1 month') at time zone 'UTC')::text as to`);
  await client.query(`alter table audit attach partition ${partition} for values from ('${bounds?.from}') to ('${bounds?.to}')`);
}

/** Identity columns go on behind the highest number that was loaded. */
async function setSequences(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(`
    select c.relname as table, a.attname as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and a.attidentity <> '' and c.relkind in ('r', 'p') and not c.relispartition`);
  for (const { table, column, sequence } of rows) {
    await client.query(`select setval($1::regclass, (select coalesce(max(${quoted(column)}), 0) + 1 from ${quoted(table)}), false)`, [sequence]);
  }
}
