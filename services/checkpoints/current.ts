import type { Db, Tx } from '../platform/db.ts';
import type { Pointer } from './model.ts';
import { readPointer } from './store.ts';

/**
 * Where the job's next epoch begins: undefined where nothing was committed; an id of null where commits exist and none
 * can be read, so that the job must not start.
 */
export const currentCheckpoint = (db: Db | Tx, jobId: string): Promise<Pointer | undefined> => readPointer(db, jobId);
