/** What a backup is: a folder with one file a table, and the manifest that names and seals them. Pure. */

export const manifestFile = 'manifest.json';
export const backupFormat = 'muster-backup';
export const backupFormatVersion = 1;

export interface TableFile {
  readonly table: string;
  /** within the folder; rows as COPY writes them in text format */
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly bytes: number;
  /** hex */
  readonly sha256: string;
}

export interface Manifest {
  readonly format: typeof backupFormat;
  readonly formatVersion: number;
  /** of the snapshot, by the database's clock, ISO 8601 */
  readonly takenAt: string;
  readonly clusterId: string;
  readonly incarnation: number;
  /** applied migrations, in order: the schema version */
  readonly migrations: readonly string[];
  readonly postgres: string;
  readonly tables: readonly TableFile[];
  readonly excluded: readonly { readonly table: string; readonly reason: string }[];
  /** months that the audit log has partitions of, `YYYYMM` */
  readonly auditMonths: readonly string[];
}

/** Tables that are not copied, and why: each is made anew by a restore, or would lie after it. */
export const excludedTables: Readonly<Record<string, string>> = {
  kysely_migration: 'the manifest names the migrations; a restore applies them',
  kysely_migration_lock: 'of one migrator at work',
  breaking_migration: 'written by the migrations',
  leader: 'plans of the old life must not count; a restore raises the token',
  leader_lease: 'of processes that are gone',
  ingest_heartbeat: 'silence counts from the restore',
  event_sequence: 'positions of a new life begin above all of the old',
  inbox: 'names positions of the old life',
  inbox_version: 'versions rise at a restore, so nothing is held back',
  enrolment_token: 'one that was used after the backup would be good a second time',
};

export type RestoreRefusal =
  | 'backup_unreadable' | 'backup_damaged' | 'schema_newer' | 'roles_running' | 'other_cluster' | 'restore_running' | 'incarnation_unknown' | 'not_confirmed';

/** A restore or a backup that was not begun; nothing was changed. */
export class BackupError extends Error {
  readonly code: RestoreRefusal | 'folder_exists' | 'not_migrated';
  readonly remedy: string;

  constructor(code: BackupError['code'], message: string, remedy: string) {
    super(message);
    this.name = 'BackupError';
    this.code = code;
    this.remedy = remedy;
  }
}

/** Told while it works; `bytes` of `totalBytes` is an estimate for a backup and exact for a restore. */
export type Progress = (at: { readonly phase: string; readonly bytes: number; readonly totalBytes: number }) => void;

/** Positions of one life: 2³⁶ events, a thousand a second for two years. */
const positionsPerLife = 36n;
/** The last position before a life's first: old ones are below it, so a reader of the old life is told that it is over. */
export const positionBefore = (incarnation: number): bigint => BigInt(incarnation) << positionsPerLife;
