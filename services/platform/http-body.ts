/** Reads JSON bodies: what JSON, Postgres or a terminal could not take is refused here, once, with its place. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { problem, type FieldError, type Problem } from './errors.ts';
import { pointerTo } from './http-validation.ts';

/** A specification nests five levels; sixty-four leave room and keep every recursive walk shallow. */
const depthMax = 64;

export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    if (bytes.length === 0) return done(null, undefined);
    const refused = isUtf8(bytes) ? undefined : problem('malformed_json', { encoding: 'not UTF-8' });
    const text = refused ? '' : bytes.toString('utf8');
    const tooDeep = !refused && depthOf(text) > depthMax ? problem('malformed_json', { nesting: `deeper than ${depthMax} levels` }) : undefined;
    if (refused ?? tooDeep) return done(refused ?? tooDeep ?? null);
    void parse(request, text, (error, value: unknown) => {
      if (error) return done(malformed(error));
      const unsound = unsoundText(value, []);
      if (unsound) return done(problem('invalid_request', {}, [unsound]));
      done(null, value);
    });
  });
}

/** The engine quotes the text around the error, which may be a secret: only what is wrong is told. */
const quotation = /, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s;

const malformed = (error: Error): Problem => problem('malformed_json', { reason: error.message.replace(quotation, ' is not valid JSON').slice(0, 200) });

/** Deepest nesting of brackets outside strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x5b || char === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x5d || char === 0x7d) depth--;
  }
  return deepest;
}

/** jsonb and text take neither NUL nor half of a surrogate pair. */
const sound = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

function unsoundText(value: unknown, path: readonly string[]): FieldError | undefined {
  if (typeof value === 'string') {
    return sound(value) ? undefined : { pointer: pointerTo(path), detail: `${path.at(-1) ?? 'the body'} must not contain NUL or half of a surrogate pair` };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    if (!sound(name)) return { pointer: pointerTo(path), detail: `a field name of ${path.at(-1) ?? 'the body'} contains NUL or half of a surrogate pair` };
    const found = unsoundText(item, [...path, name]);
    if (found) return found;
  }
  return undefined;
}
