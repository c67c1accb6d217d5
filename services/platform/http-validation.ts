/**
 * Validation of requests: bodies as they are (no coercion, no field dropped), parameters of path and query from text.
 * Every failure becomes a sentence that names the field, the limit and the value.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import type { FieldError } from './errors.ts';

/** All wrong fields of a small body are told at once; a large one stops at its first, so that errors stay bounded. */
const thoroughBytesMax = 65_536;
const errorsMax = 20;
const shownCharsMax = 80;

const base = { useDefaults: false, removeAdditional: false, verbose: true, strict: false } as const;

/** For fastify's schema controller. @param shared schemas that were added with `addSchema`, by $id */
export function validatorFor(shared: unknown): FastifySchemaCompiler<FastifySchema> {
  const schemas = Object.values(shared as Record<string, object>);
  const exact = new Ajv({ ...base, coerceTypes: false, schemas });
  const thorough = new Ajv({ ...base, coerceTypes: false, allErrors: true, schemas });
  const fromText = new Ajv({ ...base, coerceTypes: 'array', schemas });
  return ({ schema, httpPart }) => {
    if (httpPart !== 'body') return outcomeOf(fromText.compile(schema));
    const first = exact.compile(schema);
    const all = thorough.compile(schema);
    return (body: unknown) => {
      if (first(body)) return { value: body };
      if (JSON.stringify(body ?? null).length <= thoroughBytesMax) all(body);
      return { error: new InvalidRequest((all.errors ?? first.errors ?? []).slice()) };
    };
  };
}

const outcomeOf = (validate: ValidateFunction) => (value: unknown) =>
  validate(value) ? { value } : { error: new InvalidRequest((validate.errors ?? []).slice()) };

/** What a validator answers with; the error handler turns it into a problem. */
export class InvalidRequest extends Error {
  readonly failures: readonly ErrorObject[];
  constructor(failures: readonly ErrorObject[]) {
    super('the request does not fit its schema');
    this.failures = failures;
  }
}

/** @param part what the field belongs to, where that is not the body: "query parameter", "path parameter", "header" */
export function fieldErrors(failures: readonly ErrorObject[], part: string): FieldError[] {
  const unions = new Set(failures.filter((failure) => failure.keyword === 'anyOf').map((failure) => failure.schemaPath));
  const ownOnes = failures.filter((failure) => ![...unions].some((union) => failure.schemaPath.startsWith(`${union}/`)));
  return ownOnes.slice(0, errorsMax).map((failure) => {
    const pointer = fieldOf(failure);
    const name = pointer === '' ? 'the body' : pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
    return { pointer, detail: `${part && pointer ? `${part} ` : ''}${printable(name)} ${sentence(failure)}` };
  });
}

/** The field that is wrong, which for an unknown or a missing one is the field itself, not its parent. */
function fieldOf(failure: ErrorObject): string {
  const params = failure.params as { additionalProperty?: string; missingProperty?: string };
  const child = params.additionalProperty ?? params.missingProperty;
  return child === undefined ? failure.instancePath : `${failure.instancePath}/${escapePointer(child)}`;
}

function sentence(failure: ErrorObject): string {
  const params = failure.params as Record<string, unknown>;
  const got = isSecret(failure) ? '' : `, not ${shown(failure.data)}`;
  switch (failure.keyword) {
    case 'additionalProperties': return 'is not a field of this request';
    case 'required': return 'is missing';
    case 'type': return `must be ${article(String(params['type']))}${got}`;
    case 'minimum': return `must be at least ${params['limit']}${got}`;
    case 'maximum': return `must be at most ${params['limit']}${got}`;
    case 'minLength': return `must have at least ${params['limit']} characters${got}`;
    case 'maxLength': return `must have at most ${params['limit']} characters, not ${String(failure.data).length}`;
    case 'minItems': return `must have at least ${params['limit']} items, not ${(failure.data as unknown[]).length}`;
    case 'maxItems': return `must have at most ${params['limit']} items, not ${(failure.data as unknown[]).length}`;
    case 'maxProperties': return `must have at most ${params['limit']} entries, not ${Object.keys(failure.data as object).length}`;
    case 'uniqueItems': return 'must not name an item twice';
    case 'pattern': return `must match ${params['pattern']}${got}`;
    case 'const': return `must be ${shown(params['allowedValue'])}${got}`;
    case 'enum': return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}${got}`;
    case 'anyOf': return `must be ${alternatives(failure)}${got}`;
    default: return failure.message ?? 'is not valid';
  }
}

/** What only goes in is not shown back, wrong or not. */
const isSecret = ({ parentSchema }: ErrorObject): boolean => (parentSchema as { writeOnly?: boolean } | undefined)?.writeOnly === true;

function alternatives(failure: ErrorObject): string {
  const options = (failure.schema as readonly { const?: unknown; type?: string }[]).map((option) => option.const ?? article(option.type ?? 'another value'));
  return options.length === 1 ? String(options[0]) : `one of ${options.join(', ')}`;
}

const article = (type: string): string => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type === 'integer' ? 'integer number' : type}`;

/** JSON text escapes control characters, so what is shown can't move a cursor. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return printable(text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text);
}

const printable = (text: string): string =>
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
export const pointerTo = (path: readonly string[]): string => path.map((name) => `/${escapePointer(name)}`).join('');
