/**
 * The schema as text, from the catalogs: the embedded server has no pg_dump. Made to be compared and read, in a stable
 * order; partitions that come and go by date are left out.
 */
import pg from 'pg';

interface Row { readonly line: string }

const tables = `
  select c.oid, c.relname as name, c.relkind, pg_get_partkeydef(c.oid) as partition_key, obj_description(c.oid) as comment
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not like 'kysely\\_%' order by c.relname`;

const columns = `
  select format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then ' not null' else '' end,
    case when a.attidentity = 'a' then ' generated always as identity'
      when a.attgenerated = 's' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
      when d.adbin is not null then format(' default %s', pg_get_expr(d.adbin, d.adrelid)) else '' end) as line
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`;

const constraints = `
  select format('  constraint %I %s', conname, pg_get_constraintdef(oid)) as line
  from pg_constraint where conrelid = $1 and contype in ('p', 'u', 'f', 'c') order by contype desc, conname`;

const indexes = `
  select pg_get_indexdef(i.indexrelid) || ';' as line
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = $1 and not exists (select from pg_constraint k where k.conindid = i.indexrelid) order by c.relname`;

const columnComments = `
  select format('comment on column %I.%I is %L;', $2::text, a.attname, d.description) as line
  from pg_description d join pg_attribute a on a.attrelid = d.objoid and a.attnum = d.objsubid
  where d.objoid = $1 and d.objsubid > 0 order by a.attnum`;

/** @returns the dump of the database at `databaseUrl` */
export async function dumpSchema(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found = await client.query<{ oid: number; name: string; partition_key: string | null; comment: string | null }>(tables);
    const parts: string[] = ['-- Made from the migrations by infra/schema/write.ts; a test compares it.'];
    for (const table of found.rows) {
      const lines = async (query: string, ...values: unknown[]): Promise<string[]> =>
        (await client.query<Row>(query, [table.oid, ...values])).rows.map((row) => row.line);
      const body = [...(await lines(columns)), ...(await lines(constraints))].join(',\n');
      const partition = table.partition_key === null ? '' : ` partition by ${table.partition_key}`;
      parts.push([
        `create table ${table.name} (\n${body}\n)${partition};`,
        ...(await lines(indexes)),
        ...(table.comment === null ? [] : [`comment on table ${table.name} is ${client.escapeLiteral(table.comment)};`]),
        ...(await lines(columnComments, table.name)),
      ].join('\n'));
    }
    return `${parts.join('\n\n')}\n`;
  } finally {
    await client.end();
  }
}
