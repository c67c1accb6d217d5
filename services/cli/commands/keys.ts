import type { Command } from 'commander';
import { allItems, ask, type Schema } from '../client.ts';
import { ageSince, print, printFacts, printJson, printTable } from '../output.ts';
import { command, UsageError } from '../run.ts';
import { collect, seconds } from '../spec-flags.ts';
import { limitOf } from './jobs.ts';

type Key = Schema<'ApiKey'>;

interface KeysFlags { create?: string; role?: string; team?: string; org?: string; scope: string[]; expires?: string; rotate?: string; overlap: string; revoke?: string; limit: string }

export const roleNames = ['viewer', 'member', 'operator', 'admin'] as const;

/** @throws UsageError */
export function roleOf(text: string | undefined): (typeof roleNames)[number] {
  const role = roleNames.find((each) => each === text);
  if (role === undefined) throw new UsageError(`--role ${text ?? ''}: give one of ${roleNames.join(', ')}`);
  return role;
}

export const targetOf = ({ team, org }: { team?: string; org?: string }): { team?: string; org?: string } => ({ ...(team === undefined ? {} : { team }), ...(org === undefined ? {} : { org }) });

export function registerKeys(program: Command): void {
  const definition = program.command('keys').description('list API keys; with --create, --rotate or --revoke, change one')
    .option('--create <name>', 'make a key; it is printed once')
    .option('--role <role>', `of a new key: ${roleNames.join(', ')}`)
    .option('--team <name>', 'what the role is bound to; neither team nor org: the cluster')
    .option('--org <name>', 'the same, an organisation')
    .option('--scope <scope>', 'narrows the role, e.g. jobs:read; repeatable', collect, [])
    .option('--expires <time>', 'how long a new key is valid, e.g. 90d; without: for ever')
    .option('--rotate <id>', 'give a key another secret; it is printed once')
    .option('--overlap <time>', 'how long the old secret stays valid', '1d')
    .option('--revoke <id>', 'end a key at once')
    .option('--limit <n>', 'at most so many', '200');
  command<KeysFlags>(definition, async ({ client, json }, flags) => {
    if ([flags.create, flags.rotate, flags.revoke].filter((flag) => flag !== undefined).length > 1) throw new UsageError('give one of --create, --rotate and --revoke');
    if (flags.create !== undefined) {
      const expiresAt = flags.expires === undefined ? undefined : new Date(Date.now() + seconds('--expires', flags.expires) * 1_000).toISOString();
      return printNew(json, await ask(client.POST('/v1/keys', { body: {
        name: flags.create, role: roleOf(flags.role), ...targetOf(flags), ...(expiresAt === undefined ? {} : { expiresAt }), ...(flags.scope.length === 0 ? {} : { scopes: flags.scope as never }),
      } })));
    }
    if (flags.rotate !== undefined) {
      return printNew(json, await ask(client.POST('/v1/keys/{key}/rotate', { params: { path: { key: flags.rotate } }, body: { overlapSeconds: seconds('--overlap', flags.overlap) } })));
    }
    if (flags.revoke !== undefined) {
      const key = await ask(client.POST('/v1/keys/{key}/revoke', { params: { path: { key: flags.revoke } }, body: {} }));
      if (json) return printJson(key);
      return print(`${key.id}  revoked`);
    }
    const keys = await allItems(limitOf(flags.limit), (page) => ask(client.GET('/v1/keys', { params: { query: page } })));
    if (json) return printJson(keys);
    printTable(['KEY', 'NAME', 'OWNER', 'SCOPES', 'STATE', 'LAST USED'], keys.map((key) => [key.id, key.name, ownerOf(key), key.scopes.join(','), stateOf(key), key.lastUsedAt === null ? 'never' : `${ageSince(key.lastUsedAt)} ago`]));
  });
}

/** The key alone on stdout, so that a script can keep it; what is told of it goes to people. */
function printNew(json: boolean, key: Schema<'NewApiKey'>): void {
  if (json) printJson(key);
  else print(key.key);
}

export const ownerOf = ({ team, org }: { readonly team: string | null; readonly org: string | null }): string => (team !== null ? `team ${team}` : org !== null ? `org ${org}` : 'cluster');

function stateOf(key: Key): string {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()) return 'expired';
  return key.previousValidUntil === null ? 'in force' : `in force, the one before until ${key.previousValidUntil}`;
}

interface RolesFlags { bind?: string; role?: string; team?: string; org?: string; unbind?: string; limit: string }

export function registerRoles(program: Command): void {
  const definition = program.command('roles').description('list who has which role; with --bind or --unbind, change it')
    .option('--bind <principal>', 'key:<id>, subject:<name> or group:<name>')
    .option('--role <role>', roleNames.join(', '))
    .option('--team <name>', 'what the role is bound to; neither team nor org: the cluster')
    .option('--org <name>', 'the same, an organisation')
    .option('--unbind <id>', 'take a role away, by the id of its binding')
    .option('--limit <n>', 'at most so many', '200');
  command<RolesFlags>(definition, async ({ client, json }, flags) => {
    if (flags.bind !== undefined) {
      const binding = await ask(client.POST('/v1/bindings', { body: { principal: principalOf(flags.bind), role: roleOf(flags.role), ...targetOf(flags) } }));
      return json ? printJson(binding) : printFacts({ binding: binding.id, principal: `${binding.principal.kind} ${binding.principal.id}`, role: binding.role, on: ownerOf(binding) });
    }
    if (flags.unbind !== undefined) {
      const binding = await ask(client.DELETE('/v1/bindings/{binding}', { params: { path: { binding: flags.unbind } } }));
      return json ? printJson(binding) : print(`${binding.id}  taken away`);
    }
    const bindings = await allItems(limitOf(flags.limit), (page) => ask(client.GET('/v1/bindings', { params: { query: page } })));
    if (json) return printJson(bindings);
    printTable(['BINDING', 'PRINCIPAL', 'ROLE', 'ON'], bindings.map((each) => [each.id, `${each.principal.kind} ${each.principal.id}`, each.role, ownerOf(each)]));
  });
}

function principalOf(text: string): { kind: 'key' | 'subject' | 'group'; id: string } {
  const at = text.indexOf(':');
  const kind = (['key', 'subject', 'group'] as const).find((each) => each === text.slice(0, at));
  if (kind === undefined || at === text.length - 1) throw new UsageError(`--bind ${text}: give key:<id>, subject:<name> or group:<name>`);
  return { kind, id: text.slice(at + 1) };
}

export function registerOrgs(program: Command): void {
  const definition = program.command('orgs').description('list organisations, or create one with --create')
    .option('--create <name>', 'create an organisation')
    .option('--limit <n>', 'at most so many', '200');
  command<{ create?: string; limit: string }>(definition, async ({ client, json }, flags) => {
    if (flags.create !== undefined) {
      const org = await ask(client.POST('/v1/orgs', { body: { name: flags.create } }));
      return json ? printJson(org) : print(org.name);
    }
    const orgs = await allItems(limitOf(flags.limit), (page) => ask(client.GET('/v1/orgs', { params: { query: page } })));
    if (json) return printJson(orgs);
    printTable(['ORG', 'ID', 'CREATED'], orgs.map((org) => [org.name, org.id, org.createdAt]));
  });
}
