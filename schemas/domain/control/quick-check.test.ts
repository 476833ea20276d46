import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { COMMAND_TYPES } from './command-types.ts';
import { envelopeSchema } from './envelope.ts';
import { type QuickCheck, quickCheckOf } from './quick-check.ts';
import { createWorld, SECRET, signingSecret, WALL_MS } from './world.fixture.ts';

const { operator: actor } = createWorld();
const UUID = '0b5f7c1e-9f57-4d0e-a4a1-5a3f6b1c2d3e';
const wallet = { walletId: 'wal_1', provider: 'venue_a', address: `0x${'aB'.repeat(20)}`, label: '' };
const organization = { id: 'org_1', name: 'First', plan: 'pro' };
const plain = [{ eventType: 'e', version: 1 }];
const subscriptions = [...plain, { eventType: 'f', version: 2, filters: { brokers: ['venue_a'] } }];
const key = { keyId: 'k', name: 'n', userId: 'u', scopes: ['read', 'admin'], sandbox: true, secret: SECRET };
const webhook = { webhookId: 'wh_1', url: 'https://a', subscriptions, secret: signingSecret('a') };

/** One of each that is accepted, with every field. */
const GOOD: Readonly<Record<string, object>> = {
  'key.seed': { keyId: 'k', secret: SECRET, organization, minted: true },
  'key.create': key,
  'key.revoke': { keyId: 'k' },
  'organization.create': { organizationId: 'org_1', name: 'n', plan: 'pro', adminKey: { id: 'a', secret: SECRET } },
  'organization.change': { organizationId: 'org_1', name: 'n', plan: 'free', suspended: true },
  'organization.delete': { organizationId: 'org_1' },
  'wallet.bind': wallet,
  'wallet.unbind': { walletId: 'wal_1' },
  'platform_attribution.create': { attributionId: UUID, provider: 'venue_b', builder: '0x1', label: 'l' },
  'platform_attribution.delete': { attributionId: UUID },
  'webhook.create': webhook,
  'webhook.change': { webhookId: 'wh_1', url: 'https://b', subscriptions, enabled: false },
  'webhook.disable': { webhookId: 'wh_1', updatedAt: 'then', reason: 'gone' },
  'webhook.delete': { webhookId: 'wh_1' },
  'webhook.rotate_secret': { webhookId: 'wh_1', secret: signingSecret('b') },
  'webhook.test': { webhookId: 'wh_1', eventType: null, deliveryId: 'd', eventId: 'e' },
  'webhook.redeliver': {
    webhookId: 'wh_1',
    deliveryId: 'd',
    newDeliveryId: 'n',
    eventId: 'e',
    eventType: 't',
    body: '{}',
  },
  'session.open': { digest: 'd'.repeat(64) },
  'session.close': { digest: 'd' },
};
const idempotency = { key: 'k', route: 'POST /x', bodyDigest: 'd' };
const envelope = { actor, idempotency };

/** Values about which zod and a check could differ. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, '', '__proto__', 0, -0, 1.5, 2 ** 53, -1, true, [], {}, [null], '0x', 'venue_a', UUID),
  fc.constantFrom<unknown>('x'.repeat(64), 'x'.repeat(65), 'x'.repeat(201), 'x'.repeat(2_049), `x\n`, 'é', `${UUID}\n`),
  fc.constantFrom<unknown>(signingSecret('a'), `0x${'f'.repeat(40)}`, ['read', 'read'], ['read', 'gold'], plain),
  fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
  fc.constantFrom('{"__proto__":1}', '{"constructor":1}', '{"a":1e999}', '{"1":2}').map((text) => JSON.parse(text)),
);

/** A copy in which so many places are changed: another value, none, or one more. */
function changed(
  value: unknown,
  places: readonly { readonly at: number; readonly to: unknown; readonly how: number }[],
) {
  const copy = structuredClone({ value });
  for (const { at, to, how } of places) {
    const spots: [Record<string, unknown>, string][] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const name of Object.keys(node)) {
        spots.push([node as Record<string, unknown>, name]);
        visit((node as Record<string, unknown>)[name]);
      }
    };
    visit(copy);
    const [holder, name] = spots[at % spots.length]!;
    const other = structuredClone(to);
    if (how === 0 && Array.isArray(holder)) holder.pop();
    else if (how === 1 && Array.isArray(holder)) holder.push(other);
    else if (how === 0 && holder !== (copy as object)) delete holder[name];
    else if (how === 1 && holder !== (copy as object)) holder[['more', 'constructor', 'toString'][at % 3]!] = other;
    else holder[name] = other;
  }
  return copy.value;
}
const places = fc.array(fc.record({ at: fc.nat(60), to: odd, how: fc.nat(3) }), { maxLength: 3 });

/** What the schema makes of it is what stands there already, apart from fields that the schema does not name. */
function expectSame(schema: z.ZodType, check: QuickCheck, value: unknown): boolean {
  if (!check(value)) return false;
  const parsed = schema.safeParse(value);
  expect(parsed.success, JSON.stringify(value)).toBe(true);
  const named = Object.keys((schema as z.ZodObject).shape);
  const own = Object.entries(value as object).filter(([name]) => named.includes(name));
  expect(parsed.data).toStrictEqual(Object.fromEntries(own));
  return true;
}

const SCHEMAS: [string, z.ZodType, object][] = [
  ['the envelope', envelopeSchema, envelope],
  ...Array.from(COMMAND_TYPES, ([name, { body }]): [string, z.ZodType, object] => [name, body, GOOD[name]!]),
];

describe('the quick check of', () => {
  it.each(SCHEMAS)('%s takes what is good, whatever stands beside it', (_name, schema, good) => {
    const check = quickCheckOf(schema);
    expect(check(good)).toBe(true);
    expect(check({ ...envelope, ...good, more: 1 })).toBe(true);
  });

  it.each(SCHEMAS)('%s takes nothing that zod refuses or changes', (_name, schema, good) => {
    const check = quickCheckOf(schema);
    let taken = 0;
    fc.assert(
      fc.property(places, (changes) => {
        if (expectSame(schema, check, changed(good, changes))) taken += 1;
      }),
      { seed: 8, numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(450);
  });

  it('a schema that it does not understand takes nothing', () => {
    const text = z.string();
    for (const field of [
      text.trim(),
      text.refine((value) => value !== 'x'),
      text.transform(Number),
      text.default('x'),
      text.startsWith('x'),
      text.regex(/x/g),
      z.email(),
      z.coerce.string(),
      z.number(),
      z.number().int().min(1),
      z.union([text, z.null()]),
      z.array(text).refine(() => false),
      z.array(z.number()),
      z.record(text, text),
      z.record(z.enum(['a']), z.unknown()),
      z.strictObject({ a: text }),
      z.looseObject({ a: text }),
      z.object({ a: text }).refine(() => false),
      z.literal(1),
      z.unknown(),
      z.date(),
    ]) {
      const check = quickCheckOf(z.object({ field }));
      for (const value of ['x', 'a@b.example', 1, [], ['x'], [1], {}, { a: 'x' }, null])
        expect(check({ field: value }), JSON.stringify(field._zod.def)).toBe(false);
    }
    for (const schema of [z.strictObject({ text }), z.object({ text }).refine(() => false), text])
      for (const value of [{ text: 'x' }, 'x']) expect(quickCheckOf(schema)(value)).toBe(false);
  });
});

describe('a command with fields that nobody knows', () => {
  it.each(Object.keys(GOOD).filter((type) => type !== 'key.seed'))(
    '%s leaves the state that it leaves without them',
    (type) => {
      const states = [{}, { more: 1, createdAt: 'never', orgId: 'org_other', sandbox: true, id: 'x', enabled: 1 }].map(
        (beside) => {
          const world = createWorld();
          const send = (of: string, body: object) =>
            world.send(of, { ...body, id: of }, { as: world.operator, id: of });
          for (const before of ['key.create', 'organization.create', 'wallet.bind', 'webhook.create'])
            if (before !== type) send(before, GOOD[before]!);
          const named = Object.keys(GOOD[type]!);
          const others = Object.entries(beside).filter(([name]) => !named.includes(name));
          const body = { ...Object.fromEntries(others), ...GOOD[type] };
          const verdict = world.send(type, body, { as: world.operator, id: 'asked', wallTime: WALL_MS, idempotency });
          return { verdict, state: world.state };
        },
      );
      expect(states[1]).toStrictEqual(states[0]);
    },
  );
});
