/** The fields of a JSON Schema as a table in Markdown: one row for each field, nested ones with their path. */
import type { JsonObject } from '#schemas/json-schema';
import { table } from './page.ts';

/** The parts of JSON Schema that the documents of the API use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
}

/** Named schemas that the others refer to. */
export type SharedSchemas = Readonly<Record<string, unknown>>;

const REF = /^#\/components\/schemas\/(.+)$/;
/** An integer in JavaScript has no other limit than this one, which says nothing. */
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

interface Row {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** @param isInput adds a column that says which fields are required. */
export function schemaTable(schema: JsonObject, shared: SharedSchemas, isInput = false): string {
  const rows = rowsOf(schema as Schema, '', shared, []);
  if (rows.length === 0) return `${typeOf(schema as Schema, shared)}. ${(schema as Schema).description ?? ''}`.trim();
  return isInput
    ? table(
        ['field', 'type', 'required', 'meaning'],
        rows.map(({ name, type, isRequired, description }) => [
          `\`${name}\``,
          type,
          isRequired ? 'yes' : 'no',
          description,
        ]),
      )
    : table(
        ['field', 'type', 'meaning'],
        rows.map(({ name, type, description }) => [`\`${name}\``, type, description]),
      );
}

/** The type of a value with its limits, for example "integer, 1 to 200, default 50". */
export function typeOf(schema: JsonObject | object, shared: SharedSchemas): string {
  const { type, limits } = describe(schema as Schema, shared, 0);
  return [type, ...limits].join(', ');
}

function resolve(schema: Schema, shared: SharedSchemas): Schema {
  const name = REF.exec(schema.$ref ?? '')?.[1];
  if (name === undefined) return schema;
  const named = shared[name] as Schema | undefined;
  if (named === undefined) throw new Error(`there is no schema of the name ${name}`);
  return { ...named, ...(schema.description === undefined ? {} : { description: schema.description }) };
}

/** Choices of a schema; itself if it has none. */
function choicesOf(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [schema];
}

const DEPTH_MAX = 3;

function describe(given: Schema, shared: SharedSchemas, depth: number): { type: string; limits: string[] } {
  const schema = resolve(given, shared);
  const choices = choicesOf(schema);
  if (choices.length > 1 && depth < DEPTH_MAX) {
    const types = choices.map((choice) => {
      const { type, limits } = describe(choice, shared, depth + 1);
      return [type, ...limits].join(', ');
    });
    return { type: [...new Set(types)].join(' or '), limits: defaultOf(schema) };
  }
  const [only] = choices;
  if (only !== undefined && only !== schema) return describe(only, shared, depth + 1);
  return { type: nameOfType(schema, shared, depth), limits: [...limitsOf(schema), ...defaultOf(schema)] };
}

function nameOfType(schema: Schema, shared: SharedSchemas, depth: number): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum)
    return schema.enum.map((value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``).join(', ');
  const types = [schema.type ?? 'any'].flat().map((type) => {
    if (type !== 'array' || typeof schema.items !== 'object') return type;
    return `array of ${depth < DEPTH_MAX ? describe(schema.items, shared, depth + 1).type : 'any'}`;
  });
  return types.join(' or ');
}

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  const range = (from: number | undefined, to: number | undefined, unit: string) => {
    const [low, high] = [from === -INTEGER_MAX ? undefined : from, to === INTEGER_MAX ? undefined : to];
    if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
    if (low !== undefined) return [`at least ${low}${unit}`];
    return high === undefined ? [] : [`at most ${high}${unit}`];
  };
  return [
    ...(format === undefined ? [] : [format]),
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
  ];
}

function defaultOf(schema: Schema): string[] {
  return schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``];
}

/** Rows of the fields of an object, also of objects in arrays and in choices. */
function rowsOf(given: Schema, path: string, shared: SharedSchemas, refs: readonly string[]): Row[] {
  // A schema that refers to itself ends here.
  if (given.$ref !== undefined && refs.includes(given.$ref)) return [];
  const schema = resolve(given, shared);
  const inside = given.$ref === undefined ? refs : [...refs, given.$ref];
  const choices = choicesOf(schema);
  if (choices.length > 1 || choices[0] !== schema)
    return unique(choices.flatMap((choice) => rowsOf(choice, path, shared, inside)));
  if (typeof schema.items === 'object') return rowsOf(schema.items, `${path}[]`, shared, inside);
  const prefix = path === '' ? '' : `${path}.`;
  const rows = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const { description = '' } = resolve(property, shared);
    const row = {
      name: `${prefix}${name}`,
      type: typeOf(property, shared),
      isRequired: schema.required?.includes(name) ?? false,
      description,
    };
    return [row, ...rowsOf(property, row.name, shared, inside)];
  });
  if (typeof schema.additionalProperties !== 'object') return rows;
  return [...rows, ...rowsOf(schema.additionalProperties, `${prefix}*`, shared, inside)];
}

/** The same field of several choices is listed once. */
function unique(rows: readonly Row[]): Row[] {
  const seen = new Map<string, Row>();
  for (const row of rows) if (!seen.has(row.name)) seen.set(row.name, row);
  return [...seen.values()];
}
