import type { Command } from 'commander';
import { allItems, ask, type PageQuery, type Schema } from '../client.ts';
import { ageSince, printJson, printTable } from '../output.ts';
import { command } from '../run.ts';
import { limitOf } from './jobs.ts';

interface AuditOptions {
  readonly actor?: string; readonly action?: string; readonly target?: string; readonly request?: string; readonly since?: string; readonly until?: string;
  readonly limit: string; readonly all?: boolean;
}

export function registerAudit(program: Command): void {
  const definition = program.command('audit').description('who did what, newest first; --json prints an entry a line, for export')
    .option('--actor <id>', 'id of the key or subject')
    .option('--action <name>', 'for instance job.cancel')
    .option('--target <target>', 'for instance node/node-1')
    .option('--request <id>', 'id of the request')
    .option('--since <instant>', 'from then on, as 2027-01-31T12:00:00Z')
    .option('--until <instant>', 'before then')
    .option('--limit <n>', 'at most so many', '50')
    .option('--all', 'every entry there is');
  command<AuditOptions>(definition, async ({ client, json }, { limit, all, json: _json, ...filter }: AuditOptions & { json?: boolean }) => {
    const read = (page: PageQuery) => ask(client.GET('/v1/audit', { params: { query: { ...page, ...filter } } }));
    if (!json) return show(await allItems(all ? Infinity : limitOf(limit), read));
    // Page by page: an export has no end that would have to fit into memory.
    let left = all ? Infinity : limitOf(limit);
    for (let token: string | null | undefined; token !== null && left > 0;) {
      const page = await read({ page_size: Math.min(left, 200), ...(token === undefined ? {} : { page_token: token }) });
      for (const entry of page.items) printJson(entry, false);
      left -= page.items.length;
      token = page.next_page_token;
    }
  });
}

function show(entries: readonly Schema<'AuditEntry'>[]): void {
  printTable(['ID', 'AGE', 'ACTOR', 'ACTION', 'TARGET', 'REASON', 'REQUEST'], entries.map((entry) => [
    entry.id, ageSince(entry.at), entry.actor.name, entry.action, entry.target, entry.reason ?? '', entry.requestId]));
}
