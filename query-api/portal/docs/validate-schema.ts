/** Checks a value against a JSON Schema, as far as the routes of the API use it. Pure. */

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A text of a field as the type of its schema. */
export function typedValue(text: string, { type }: Schema): unknown {
  if (type === 'integer' || type === 'number') return Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

/** What is wrong with a value, beginning with the name of the part; null if it is valid. */
export function faultOf(value: unknown, schema: Schema, name: string): string | null {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return faultOfChoices(value, choices, name);
  if (schema.const !== undefined && value !== schema.const) return `${name}: must be ${JSON.stringify(schema.const)}`;
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `${name}: must be one of ${schema.enum.join(', ')}`;
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return `${name}: must be of type ${types.join(' or ')}`;
  if (typeof value === 'string') return faultOfText(value, schema, name);
  if (typeof value === 'number') return faultOfRange(value, schema.minimum, schema.maximum, '', name);
  if (Array.isArray(value)) return faultOfList(value, schema, name);
  return typeof value === 'object' && value !== null ? faultOfObject(value, schema, name) : null;
}

function faultOfChoices(value: unknown, choices: readonly Schema[], name: string): string | null {
  const faults = choices.map((choice) => faultOf(value, choice, name));
  // A fault inside of the value says more than one about its type.
  return faults.includes(null)
    ? null
    : (faults.find((fault) => !fault!.startsWith(`${name}: must be of type`)) ?? faults[0]!);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function faultOfText(value: string, { minLength, maxLength, pattern }: Schema, name: string): string | null {
  const fault = faultOfRange(value.length, minLength, maxLength, ' characters', name);
  if (fault !== null || pattern === undefined) return fault;
  return new RegExp(pattern, 'u').test(value) ? null : `${name}: has another form than expected`;
}

function faultOfRange(size: number, min: number | undefined, max: number | undefined, unit: string, name: string) {
  if (min !== undefined && size < min) return `${name}: must be at least ${min}${unit}`;
  return max !== undefined && size > max ? `${name}: must be at most ${max}${unit}` : null;
}

function faultOfList(value: readonly unknown[], { items, minItems, maxItems }: Schema, name: string): string | null {
  const fault = faultOfRange(value.length, minItems, maxItems, ' items', name);
  if (fault !== null || typeof items !== 'object') return fault;
  for (const [at, item] of value.entries()) {
    const inside = faultOf(item, items, `${name}.${at}`);
    if (inside !== null) return inside;
  }
  return null;
}

function faultOfObject(value: object, schema: Schema, name: string): string | null {
  const { properties = {}, required = [], additionalProperties } = schema;
  const prefix = name === '' ? '' : `${name}.`;
  for (const field of required) if (!Object.hasOwn(value, field)) return `${prefix}${field}: is missing`;
  for (const [field, inner] of Object.entries(value)) {
    const declared = Object.hasOwn(properties, field) ? properties[field] : additionalProperties;
    if (declared === false) return `${prefix}${field}: unknown field`;
    const fault = typeof declared === 'object' ? faultOf(inner, declared, `${prefix}${field}`) : null;
    if (fault !== null) return fault;
  }
  return null;
}
