/** Runs `work` while no other process holds the same lock file; a holder that died loses it. */
export declare function withLock<T>(file: string, work: () => Promise<T>): Promise<T>;
