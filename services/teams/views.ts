/** Keys, bindings, organisations and teams on the wire. No secret but a new key's own. */
import Type, { type Static } from 'typebox';
import { roles } from '../platform/authz-roles.ts';
import { principalKinds, type BindingRow } from './bindings-store.ts';
import type { KeyRow } from './keys-store.ts';
import type { ListedTeam, OrgRow, TeamRow } from './store.ts';

const time = Type.String({ format: 'date-time' });
const timeOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });
const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

export const TeamView = Type.Object({ id: Type.String(), name: Type.String(), org: Type.String({ description: 'Name of its organisation' }), createdAt: time }, { $id: 'Team' });
export const toTeamView = (team: TeamRow, org: string): Static<typeof TeamView> => ({ id: team.id, name: team.name, org, createdAt: team.created_at.toISOString() });
export const toListedTeamView = (team: ListedTeam): Static<typeof TeamView> => toTeamView(team, team.org);

export const OrgView = Type.Object({ id: Type.String(), name: Type.String(), createdAt: time }, { $id: 'Org' });
export const toOrgView = (org: OrgRow): Static<typeof OrgView> => ({ id: org.id, name: org.name, createdAt: org.created_at.toISOString() });

const keyFields = {
  id: Type.String(), name: Type.String(),
  scopes: Type.Array(Type.String(), { description: 'They narrow its roles; `*`: not at all' }),
  team: textOrNull('Team whose admins own it'), org: textOrNull('Organisation whose admins own it; null as well: the cluster'),
  createdAt: time, createdBy: textOrNull('Key or subject that made it'),
  expiresAt: timeOrNull('null: never'), rotatedAt: timeOrNull('Last rotation'),
  previousValidUntil: timeOrNull('The secret before the last rotation is valid until then; null: no longer'),
  lastUsedAt: timeOrNull('To the minute'), revokedAt: timeOrNull('null: in force'),
};
export const KeyView = Type.Object(keyFields, { $id: 'ApiKey' });
export const NewKeyView = Type.Object({ ...keyFields, key: Type.String({ description: 'Shown once; only its hash is stored' }) }, { $id: 'NewApiKey' });

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

export const toKeyView = (row: KeyRow): Static<typeof KeyView> => ({
  id: row.id, name: row.name, scopes: row.scopes, team: row.team, org: row.org, createdAt: row.created_at.toISOString(), createdBy: row.created_by,
  expiresAt: iso(row.expires_at), rotatedAt: iso(row.rotated_at), previousValidUntil: iso(row.previous_until), lastUsedAt: iso(row.last_used_at), revokedAt: iso(row.revoked_at),
});

export const BindingView = Type.Object({
  id: Type.String(), role: Type.Enum([...roles]),
  principal: Type.Object({ kind: Type.Enum([...principalKinds]), id: Type.String(), issuer: textOrNull('Of a subject or group') }),
  team: textOrNull('The team that it is bound to'), org: textOrNull('The organisation that it is bound to; null as well: the cluster'),
  createdAt: time, createdBy: textOrNull('Key or subject that made it'),
}, { $id: 'RoleBinding' });

export const toBindingView = (row: BindingRow): Static<typeof BindingView> => ({
  id: row.id, role: row.role, principal: { kind: row.principal_kind, id: row.principal, issuer: row.issuer || null },
  team: row.team, org: row.org, createdAt: row.created_at.toISOString(), createdBy: row.created_by,
});
