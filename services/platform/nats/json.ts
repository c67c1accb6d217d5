/** Values on the wire: JSON in UTF-8. */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** `undefined` has no JSON: it goes as null. */
export const encodeJson = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value ?? null));

/** @throws SyntaxError or TypeError for what isn't JSON in UTF-8 */
export const decodeJson = (data: Uint8Array): unknown => JSON.parse(decoder.decode(data)) as unknown;
