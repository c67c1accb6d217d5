/** What activities are built from. */
import type { Config } from '#services/platform/config.ts';
import type { Db } from '#services/platform/db.ts';
import type { Log } from '#services/platform/log.ts';

export interface Deps {
  readonly db: Db;
  readonly config: Config;
  readonly log: Log;
}
