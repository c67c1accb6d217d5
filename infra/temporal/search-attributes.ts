/**
 * Search attributes of Muster's workflows (design.md §7): registered by the local stack, checked at worker start.
 * Temporal allows ten of type Keyword and three of type Int on SQLite and Postgres.
 */
import { jobSearchAttributes } from '#services/jobs/model.ts';

type Kind = 'Keyword' | 'Int';
const kindOf = { KEYWORD: 'Keyword', INT: 'Int' } as const satisfies Record<string, Kind>;

/** Name and type, in the words of the CLI (`--search-attribute NAME=TYPE`). */
export const searchAttributes: Readonly<Record<string, Kind>> = Object.fromEntries(
  Object.values(jobSearchAttributes).map(({ name, type }) => [name, kindOf[type]]),
);

/** The command that adds what is missing. */
export function searchAttributeRemedy(names: readonly string[], address: string, namespace: string): string {
  const flags = names.map((name) => `--name ${name} --type ${searchAttributes[name] ?? 'Keyword'}`).join(' ');
  return `temporal operator search-attribute create --address ${address} --namespace ${namespace} ${flags}`;
}
