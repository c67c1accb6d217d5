/** Folder of the embedded Postgres for this machine (holds `native/bin`), or undefined where it isn't installed. */
export declare function embeddedPostgresDir(): string | undefined;
/** Links that an install without scripts left out, as [target, source]. */
export declare function missingPostgresLinks(): [string, string][];
export declare function repairPostgresLinks(): void;
