/** Which tables and columns there are to copy, read from the catalogue: a new table is in the backup unless model.ts excludes it. */
import type { Client } from 'pg';
import { excludedTables } from './model.ts';

export interface TableShape {
  readonly table: string;
  /** generated ones are left out: the database computes them */
  readonly columns: readonly string[];
  readonly bytesEstimate: number;
}

/** In the order in which foreign keys allow rows to be written; partitions stand for themselves in their parent. */
export async function tablesToCopy(client: Client, schema = 'public'): Promise<TableShape[]> {
  const { rows } = await client.query<{ table: string; columns: string[]; bytes: string; needs: string[] | null }>(`
    select c.relname as table,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      coalesce((select sum(pg_table_size(p.relid)) from pg_partition_tree(c.oid) p), pg_table_size(c.oid))::text as bytes,
      (select array_agg(distinct f.confrelid::regclass::text) from pg_constraint f where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`, [schema]);
  const wanted = rows.filter((row) => !(row.table in excludedTables));
  const shapes = new Map(wanted.map((row) => [row.table, { table: row.table, columns: row.columns, bytesEstimate: Number(row.bytes) }]));
  const needs = new Map(wanted.map((row) => [row.table, (row.needs ?? []).map(bare).filter((name) => shapes.has(name))]));
  return inOrder([...shapes.keys()], needs).map((table) => shapes.get(table) as TableShape);
}

/** A name as the catalogue prints it: quoted where it is a reserved word, qualified where the search path lacks its schema. */
const bare = (name: string): string => name.replace(/^.*\./, '').replaceAll('"', '');

function inOrder(names: readonly string[], needs: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (name: string, path: ReadonlySet<string>): void => {
    if (done.has(name)) return;
    if (path.has(name)) throw new Error(`foreign keys of ${name} form a circle: no order can load it`);
    for (const needed of needs.get(name) ?? []) visit(needed, new Set([...path, name]));
    done.add(name);
  };
  for (const name of names) visit(name, new Set());
  return [...done];
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
