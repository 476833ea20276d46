/**
 * Builders of Avro schemas. Each one returns the Avro schema together with the TypeScript type of its values, so a topic
 * has one definition. Decimals are canonical text (see `domain/decimal.ts`), times are unix milliseconds.
 */
import type { Schema } from 'avsc';

declare const valueType: unique symbol;
/** An Avro schema with the TypeScript type of its values. */
export interface AvroType<T> {
  readonly schema: Schema;
  readonly doc: string;
  readonly default?: unknown;
  /** How a table stores it. */
  readonly column: ColumnKind;
  readonly [valueType]?: T;
}
/** What a column has to know of a value beyond its Avro type, in which decimals are text and times are numbers. */
export type ColumnKind =
  | { readonly kind: 'text' | 'word' | 'decimal' | 'product' | 'time' | 'integer' | 'float' | 'flag' | 'bytes' }
  | { readonly kind: 'nullable' | 'list'; readonly of: ColumnKind }
  | { readonly kind: 'record'; readonly fields: Readonly<Record<string, AvroType<unknown>>> };
/** The TypeScript type of the values of an `AvroType`. */
export type Infer<A> = A extends AvroType<infer T> ? T : never;
type Fields = Record<string, AvroType<unknown>>;
type RecordOf<F extends Fields> = { readonly [K in keyof F]: Infer<F[K]> };

const avroType = <T>(schema: Schema, doc: string, column: ColumnKind): AvroType<T> => ({ schema, doc, column });

/** Text. */
export const text = (doc: string) => avroType<string>('string', doc, { kind: 'text' });
/** An exact decimal as canonical text. */
export const decimal = (doc: string) => avroType<string>('string', doc, { kind: 'decimal' });
/** A sum of exact products of two decimals as canonical text, with up to 36 decimals. */
export const product = (doc: string) => avroType<string>('string', doc, { kind: 'product' });
/** Unix milliseconds. */
export const timestamp = (doc: string) => avroType<number>('long', doc, { kind: 'time' });
/** A whole number below 2^53. */
export const integer = (doc: string) => avroType<number>('long', doc, { kind: 'integer' });
/** A float, for estimates such as a confidence; never for money. */
export const float = (doc: string) => avroType<number>('double', doc, { kind: 'float' });
export const flag = (doc: string) => avroType<boolean>('boolean', doc, { kind: 'flag' });
/** Bytes, unchanged. */
export const blob = (doc: string) => avroType<Buffer>('bytes', doc, { kind: 'bytes' });
export const nullable = <T>(type: AvroType<T>): AvroType<T | null> => ({
  schema: ['null', type.schema] as Schema,
  doc: type.doc,
  default: null,
  column: { kind: 'nullable', of: type.column },
});
export const list = <T>(items: AvroType<T>, doc: string) =>
  avroType<readonly T[]>({ type: 'array', items: items.schema } as Schema, doc, { kind: 'list', of: items.column });
/** One of a closed set of words. It is a string on the wire, so that the set can grow without breaking old readers. */
export const oneOf = <const V extends readonly string[]>(values: V, doc: string) =>
  avroType<V[number]>('string', `${doc} One of: ${values.join(', ')}.`, { kind: 'word' });
/** `type` with a default. A field that is added to a schema that already has records needs one. */
export const withDefault = <T>(type: AvroType<T>, fallback: T): AvroType<T> => ({ ...type, default: fallback });

/** A record; `name` is unique in the project. */
export function record<F extends Fields>(name: string, doc: string, fields: F): AvroType<RecordOf<F>> {
  const schema = {
    type: 'record',
    name: `parallax.${name}`,
    doc,
    fields: Object.entries(fields).map(([field, type]) => ({
      name: field,
      type: type.schema,
      doc: type.doc,
      ...('default' in type ? { default: type.default } : {}),
    })),
  };
  return avroType<RecordOf<F>>(schema as Schema, doc, { kind: 'record', fields });
}

/** The Avro schema of a type as a registry expects it: a record that occurs twice is defined once, then named. */
export function avroSchema(type: AvroType<unknown>): Schema {
  const seen = new Set<string>();
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    const { type: kind, name } = node as { type?: unknown; name?: string };
    if (kind === 'record' && name) {
      if (seen.has(name)) return name;
      seen.add(name);
    }
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, key === 'default' || key === 'doc' ? value : visit(value)]),
    );
  };
  return visit(type.schema) as Schema;
}
