import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { dashboards } from './dashboards.ts';
import { toGrafana, type Dashboard } from './grafana.ts';

export const fileOf = ({ uid }: Dashboard): string => path.join(import.meta.dirname, `${uid}.json`);
export const textOf = (one: Dashboard): string => `${JSON.stringify(toGrafana(one), null, 1)}\n`;

if (import.meta.main) for (const one of dashboards) await writeFile(fileOf(one), textOf(one));
