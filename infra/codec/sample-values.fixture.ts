import type { Schema } from 'avsc';

/** `full`: every field set. `bare`: null where allowed, empty texts and lists, zeros. */
export type SampleKind = 'full' | 'bare';

interface Node {
  readonly type: string | Node;
  readonly name?: string;
  readonly items?: Schema;
  readonly fields?: readonly { readonly name: string; readonly type: Schema }[];
}

/** The largest integer that avsc accepts as exact. */
export const LONGEST = 2 ** 53 - 2;

const FULL: Readonly<Record<string, unknown>> = {
  null: null,
  boolean: true,
  int: 2_147_483_647,
  long: LONGEST,
  double: 0.1 + 0.2,
  string: 'größe 0.000000000000000001 😀',
  bytes: Buffer.from([0, 1, 127, 128, 255]),
};
const BARE: Readonly<Record<string, unknown>> = {
  null: null,
  boolean: false,
  int: 0,
  long: 0,
  double: 0,
  string: '',
  bytes: Buffer.alloc(0),
};

/** A value of an Avro schema; deterministic. */
export function sampleOf(schema: Schema, kind: SampleKind, named = new Map<string, Node>()): unknown {
  if (Array.isArray(schema)) {
    const branch = kind === 'bare' ? schema.find((type) => type === 'null') : schema.find((type) => type !== 'null');
    return sampleOf((branch ?? schema[0]) as Schema, kind, named);
  }
  if (typeof schema === 'string') {
    const reference = named.get(schema);
    if (reference) return sampleOf(reference as Schema, kind, named);
    const samples = kind === 'full' ? FULL : BARE;
    if (!(schema in samples)) throw new Error(`no sample of an Avro ${schema}`);
    return samples[schema];
  }
  const node = schema as unknown as Node;
  if (node.type === 'record') {
    named.set(node.name!, node);
    return Object.fromEntries(node.fields!.map(({ name, type }) => [name, sampleOf(type, kind, named)]));
  }
  if (node.type === 'array')
    return kind === 'bare' ? [] : [sampleOf(node.items!, 'full', named), sampleOf(node.items!, 'bare', named)];
  return sampleOf(node.type as Schema, kind, named);
}
