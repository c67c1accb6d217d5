/** Awaits `work`; prints a line on stderr after two seconds, then every ten, and one at the end. */
export declare function withProgress<T>(what: string, work: Promise<T>): Promise<T>;
