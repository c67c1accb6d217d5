/** Values for a JSON schema as our routes use it: nearly always valid; now and then one that is not. */
import fc from 'fast-check';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

type Named = Readonly<Record<string, Schema>>;

/** What breaks parsers, columns and loops. */
const wrong: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(null, -1, 1e308, '', '\u0000', '\ud800', '9'.repeat(40), [], {}, true, 'x'.repeat(5_000), '../..', "'; --");

export function valuesOf(schema: Schema, named: Named): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: fitting(schema, named) }, { weight: 1, arbitrary: wrong });
}

function fitting(schema: Schema, named: Named): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return fitting(named[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? {}, named);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fitting(one, named)));
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.find((one) => one !== 'null');
  switch (type) {
    case 'string': return textOf(schema);
    case 'integer': return fc.oneof(fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) }), fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 7));
    case 'number': return fc.double({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000, noNaN: true });
    case 'boolean': return fc.boolean();
    case 'array': return fc.array(valuesOf(schema.items ?? {}, named), { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'object': return objectOf(schema, named);
    default: return fc.jsonValue();
  }
}

function textOf({ pattern, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  const max = Math.min(maxLength, 60);
  const free = fc.string({ minLength: Math.min(minLength, max), maxLength: max, unit: 'grapheme' });
  if (pattern === undefined) return free;
  const fits = new RegExp(pattern);
  return fc.oneof(fc.constantFrom('default', 'small', 'a', '1', '2027-01-31T12:00:00Z', 'k=v').filter((text) => fits.test(text) || text === 'a'), free.map((text) => text.replaceAll(/[^A-Za-z0-9]/g, 'x').slice(0, max) || 'x'));
}

function objectOf({ properties = {}, required = [], patternProperties, additionalProperties }: Schema, named: Named): fc.Arbitrary<unknown> {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const fields = fc.record(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, named)])), { requiredKeys: [...required] as never[] });
  const few = fc.subarray(optional, { maxLength: Math.min(4, optional.length) }); // else each object has about half of its fields wrong somewhere
  const values = Object.values(patternProperties ?? {})[0] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  const extra = values ? fc.dictionary(fc.constantFrom('A', 'b1', 'x/y', '-', 'LONG_NAME'), valuesOf(values, named), { maxKeys: 3 }) : fc.constant({});
  return fc.tuple(fields, few, extra).map(([all, kept, more]) => ({
    ...Object.fromEntries(Object.entries(all as Record<string, unknown>).filter(([name]) => required.includes(name) || kept.includes(name))), ...more,
  }));
}
