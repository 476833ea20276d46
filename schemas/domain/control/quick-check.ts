/**
 * Checks of command bodies at a fraction of what zod takes, for whoever reduces a million of them. They follow from the
 * zod schemas, which remain what says what is accepted: a check says yes only to what the schema accepts, and gives back
 * as it is; to whatever it does not know it says no, and the schema decides and names the field.
 */
import type { z } from 'zod';

/** Whether a value that `JSON.parse` made is surely accepted. False: the schema has to be asked. */
export type QuickCheck = (value: unknown) => boolean;
type Plain = Readonly<Record<string, unknown>>;
type Schema = z.core.$ZodType;
/** What a schema asks for beside its type, as zod keeps it. */
interface Asked {
  readonly check?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: RegExp;
}

const never: QuickCheck = () => false;

/**
 * The check of an object schema. Fields that the schema does not name may stand beside it, where zod leaves them out: who
 * is handed such an object takes the fields by name. Objects within it have named fields only.
 */
export function quickCheckOf(schema: Schema): QuickCheck {
  const fields = fieldsOf(schema);
  if (!fields) return never;
  return (value) => isPlain(value) && fields.every(({ name, check }) => check(value[name]));
}

interface Field {
  readonly name: string;
  readonly check: QuickCheck;
}

/** Null for what is no object, or where not every field can be checked. */
function fieldsOf(schema: Schema): readonly Field[] | null {
  const def = defOf(schema);
  if (def.type !== 'object' || def.catchall || (def.checks?.length ?? 0) > 0) return null;
  const fields = Object.entries(def.shape).map(([name, field]) => ({ name, check: checkOf(field) }));
  return fields.some(({ name, check }) => check === never || Object.hasOwn(Object.prototype, name)) ? null : fields;
}

function checkOf(schema: Schema): QuickCheck {
  const def = defOf(schema);
  switch (def.type) {
    case 'string':
      return stringCheck(def);
    case 'number':
      return isWholeNumber(def) ? Number.isSafeInteger : never;
    case 'boolean':
      return def.checks?.length || ('coerce' in def && def.coerce) ? never : (value) => typeof value === 'boolean';
    case 'literal':
      return def.checks?.length ? never : oneOf(def.values);
    case 'enum':
      return def.checks?.length ? never : oneOf(Object.values(def.entries));
    case 'optional':
      return def.checks?.length ? never : orElse(undefined, checkOf(def.innerType));
    case 'nullable':
      return def.checks?.length ? never : orElse(null, checkOf(def.innerType));
    case 'array':
      return arrayCheck(def);
    case 'object':
      return nestedCheck(schema);
    case 'record':
      return isAnyRecord(def) ? isHarmlessRecord : never;
    default:
      return never;
  }
}

function askedOf({ checks = [] }: z.core.$ZodTypeDef): Asked[] {
  return checks.map(({ _zod }) => _zod.def as Asked);
}

function defOf(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  return (schema as z.core.$ZodTypes)._zod.def;
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function oneOf(values: readonly unknown[]): QuickCheck {
  const known = new Set(values);
  return values.every((value) => typeof value === 'string') ? (value) => known.has(value) : never;
}

function orElse(instead: undefined | null, check: QuickCheck): QuickCheck {
  return check === never ? never : (value) => value === instead || check(value);
}

/** Null where one of them is neither a length nor a pattern. */
function boundsOf(asked: readonly Asked[]): { min: number; max: number; patterns: readonly RegExp[] } | null {
  const [bounds, patterns] = [{ min: 0, max: Number.POSITIVE_INFINITY }, [] as RegExp[]];
  for (const { check, format, minimum, maximum, pattern } of asked) {
    if (check === 'min_length' && minimum !== undefined) bounds.min = Math.max(bounds.min, minimum);
    else if (check === 'max_length' && maximum !== undefined) bounds.max = Math.min(bounds.max, maximum);
    // A pattern with a state of its own would answer by turns.
    else if (check === 'string_format' && isPatternFormat(format) && pattern && !/[gy]/.test(pattern.flags))
      patterns.push(pattern);
    else return null;
  }
  return { ...bounds, patterns };
}

/** Formats that are their pattern and nothing more. */
function isPatternFormat(format: string | undefined): boolean {
  return format === 'regex' || format === 'uuid';
}

function stringCheck(def: z.core.$ZodStringDef): QuickCheck {
  // A format such as `z.uuid()` is a check of itself.
  const bounds = def.coerce ? null : boundsOf([...('check' in def ? [def as Asked] : []), ...askedOf(def)]);
  if (!bounds) return never;
  const { min, max, patterns } = bounds;
  const [pattern, ...others] = patterns;
  if (others.length > 0) return never;
  const fits = (value: unknown): value is string =>
    typeof value === 'string' && value.length >= min && value.length <= max;
  return pattern ? (value) => fits(value) && pattern.test(value) : fits;
}

function isWholeNumber(def: z.core.$ZodNumberDef): boolean {
  const [asked, ...others] = askedOf(def);
  return !def.coerce && others.length === 0 && asked?.check === 'number_format' && asked.format === 'safeint';
}

function arrayCheck(def: z.core.$ZodArrayDef): QuickCheck {
  const [element, bounds] = [checkOf(def.element), boundsOf(askedOf(def))];
  if (element === never || !bounds || bounds.patterns.length > 0) return never;
  const { min, max } = bounds;
  return (value) => Array.isArray(value) && value.length >= min && value.length <= max && value.every(element);
}

/** An object that is kept as it is, so it must have no other fields. */
function nestedCheck(schema: Schema): QuickCheck {
  const fields = fieldsOf(schema);
  if (!fields) return never;
  return (value) => {
    if (!isPlain(value)) return false;
    let known = 0;
    for (const { name, check } of fields) {
      const field = value[name];
      if (!check(field)) return false;
      if (field !== undefined) known += 1;
    }
    return countOf(value) === known;
  };
}

function countOf(value: Plain): number {
  let count = 0;
  for (const _ in value) count += 1;
  return count;
}

function isAnyRecord({ keyType, valueType, checks, ...def }: z.core.$ZodRecordDef): boolean {
  const key = defOf(keyType);
  const anyKey = key.type === 'string' && !('check' in key) && !key.checks?.length;
  return anyKey && defOf(valueType).type === 'unknown' && !checks?.length && !('mode' in def) && !('partial' in def);
}

/** Not those with a name that zod treats apart: it leaves `__proto__` out, and looks at `constructor`. */
function isHarmlessRecord(value: unknown): boolean {
  if (!isPlain(value)) return false;
  for (const name in value) if (name === '__proto__' || name === 'constructor') return false;
  return true;
}
