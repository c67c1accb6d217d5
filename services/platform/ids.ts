/** Typed ids: `<prefix>_<26 characters>`, a UUIDv7 in base 32, so ids of one kind sort by the time they were made. */
import { typeid, TypeID } from 'typeid-js';

export type IdPrefix = 'job' | 'ckpt' | 'team' | 'org' | 'key' | 'tok' | 'dead' | 'tkt' | 'req' | 'op' | 'bind';

export const newId = (prefix: IdPrefix): string => typeid(prefix).toString();

export function isId(prefix: IdPrefix, text: string): boolean {
  try {
    return TypeID.fromString(text, prefix).toString() === text;
  } catch {
    return false;
  }
}
