/** Generates valid values of JSON schemas, for fuzzing routes by their declarations. */
import fc from 'fast-check';
import { CASES } from '../markets/family-cases.fixture.ts';
import { ADDRESS as WALLET_ADDRESS } from '../testing/ledger-rows.fixture.ts';
import { NOON_MS } from '../testing/records.fixture.ts';

/** The parts of JSON Schema that occur in route declarations (`z.toJSONSchema`, input side). */
export interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The wallet of the service, whose account has a fill of token 111. */
export const WALLET_ID = 'wal_fuzzed';
const ADDRESS = `0x${'aB'.repeat(20)}`;
const PAIRS_MAX = 2;
const ITEMS_MAX = 4;
/** A grapheme can be a dozen UTF-16 units, which is what `maxLength` counts. */
const GRAPHEMES_MAX = 12;

/** Names of markets by the parameter of their family: of a market with all data twice, of one without figures once. */
const MARKET_NAMES = CASES.map(
  ({ family, name, otherName }) => [family.name.parameter, [name, name, otherName]] as const,
);

/** Valid values for fields whose schema does not describe them fully: existing ids and text formats. */
const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(MARKET_NAMES),
  dex: ['orb', 'orb', 'two'],
  universalId: ['evt_1', 'evt_1', 'evt_2', 'evt_merged'],
  resolution_after: ['0', String(NOON_MS), '2026-03-01', '2026-03-01T12:00:00.5Z'],
  start_time: ['0', String(NOON_MS - 86_400_000), '2026-02-01'],
  end_time: [String(NOON_MS + 86_400_000), '2026-04-01T00:00+02:00'],
  date: ['2026-03-01', '20260228'],
  since: ['0', String(NOON_MS - 3_600_000), '2026-02-28T12:00:00Z'],
  until: [String(NOON_MS + 3_600_000), '2026-04-01T00:00Z'],
  from: ['2026-02-01', String(NOON_MS - 86_400_000)],
  to: ['2026-03-02', String(NOON_MS + 86_400_000)],
  kinds: ['anomaly', 'settlement,dispute'],
  sizes: ['10', '1,2.5,1000000'],
  q: ['btc', '100000 At  above'],
  cursor: [Buffer.from('1 evt_1').toString('base64url')],
  builder: [ADDRESS],
  walletId: [WALLET_ID],
  walletAddress: [WALLET_ADDRESS],
  tokenId: ['111'],
  marketId: ['0xmarket'],
  user: [ADDRESS, WALLET_ADDRESS],
  url: ['https://hooks.example.com/parallax'],
  eventType: ['broker.trade.executed'],
  version: [1],
  filters: [{}],
};

/** Generates a valid value of the schema. Throws for a kind of schema that is not implemented. */
function goodValue(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  const examples = EXAMPLES[name];
  if (examples !== undefined && schema.type !== 'array') return fc.constantFrom(...examples);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => goodValue(choice, name)));
  switch (schema.type) {
    case undefined:
      return fc.jsonValue({ maxDepth: 2 });
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return goodText(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'array':
      return fc.array(goodValue(schema.items ?? {}, name), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX)),
      });
    case 'object':
      return goodObject(schema);
  }
  throw new Error(`no values for a schema of type ${schema.type}: ${JSON.stringify(schema)}`);
}

/** Generates an object with all required fields and any of the optional ones. */
export function goodObject({ properties = {}, required = [], additionalProperties }: JsonSchema) {
  const fields = Object.entries(properties).map(([name, property]) => [name, goodValue(property, name)] as const);
  const declared = fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  if (typeof additionalProperties !== 'object' || fields.length > 0) return declared;
  return fc.dictionary(fc.string({ maxLength: 10 }), goodValue(additionalProperties), { maxKeys: PAIRS_MAX });
}

function goodText({ pattern, format, minLength = 0, maxLength = GRAPHEMES_MAX }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date') return fc.constantFrom('2026-03-01', '2024-02-29');
  if (format === 'date-time') return fc.constantFrom('2026-03-01T12:00:00.000Z');
  if (format === 'uri') return fc.webUrl();
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, GRAPHEMES_MAX)) });
}
