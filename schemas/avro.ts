/**
 * Avro schemas written once: each builder gives the Avro schema and the TypeScript type of what it describes, so a
 * topic has one definition. Decimals are canonical text (see `domain/decimal.ts`), times are unix milliseconds.
 */
import type { Schema } from 'avsc';

declare const valueType: unique symbol;
/** An Avro schema that remembers the TypeScript type of its values. */
export interface AvroType<T> {
  readonly schema: Schema;
  readonly doc: string;
  readonly default?: unknown;
  readonly [valueType]?: T;
}
/** The TypeScript type of the values of an `AvroType`. */
export type Infer<A> = A extends AvroType<infer T> ? T : never;
type Fields = Record<string, AvroType<unknown>>;
type RecordOf<F extends Fields> = { readonly [K in keyof F]: Infer<F[K]> };

const of = <T>(schema: Schema, doc: string): AvroType<T> => ({ schema, doc });

/** Text. */
export const text = (doc: string) => of<string>('string', doc);
/** An exact decimal as canonical text. */
export const decimal = (doc: string) => of<string>('string', doc);
/** Unix milliseconds. */
export const timestamp = (doc: string) => of<number>('long', doc);
/** A whole number below 2^53. */
export const integer = (doc: string) => of<number>('long', doc);
/** A float, for judgements such as a confidence; never for money. */
export const float = (doc: string) => of<number>('double', doc);
export const flag = (doc: string) => of<boolean>('boolean', doc);
/** Bytes as they came. */
export const blob = (doc: string) => of<Buffer>('bytes', doc);
export const nullable = <T>(type: AvroType<T>): AvroType<T | null> => ({
  schema: ['null', type.schema] as Schema,
  doc: type.doc,
  default: null,
});
export const list = <T>(items: AvroType<T>, doc: string) =>
  of<readonly T[]>({ type: 'array', items: items.schema } as Schema, doc);
/** One of a closed set of words. Kept as a string on the wire, so that a set can grow without breaking old readers. */
export const oneOf = <const V extends readonly string[]>(values: V, doc: string) =>
  of<V[number]>('string', `${doc} One of: ${values.join(', ')}.`);
/** `type` with a default, which is what lets a field be added to a schema that already has records. */
export const added = <T>(type: AvroType<T>, fallback: T): AvroType<T> => ({ ...type, default: fallback });

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
  return of<RecordOf<F>>(schema as Schema, doc);
}

/** The Avro schema of a type as a registry wants it: a record that occurs twice is spelled out once, then named. */
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
