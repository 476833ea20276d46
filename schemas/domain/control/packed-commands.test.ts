import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMAND_TYPES } from './command-types.ts';
import { packCommands, unpackCommands } from './packed-commands.ts';
import { type CommandText, readCommand } from './read-command.ts';
import { createWorld, SECRET, signingSecret, WALL_MS } from './world.fixture.ts';

const { operator: actor } = createWorld();
const SUBSCRIPTIONS = [{ eventType: 'event.spread', version: 1, filters: { '1': ['INFINITE', 'é\u2028😀\ud800'] } }];

/** Bodies that are surely good, that zod changes or refuses, and that are no JSON. */
const bodies = fc.oneof(
  fc
    .constantFrom(
      { actor, walletId: 'wal_1', provider: 'venue_a', address: `0x${'aB'.repeat(20)}`, label: '"\\' },
      { actor, webhookId: 'wh_1', url: 'https://a', subscriptions: SUBSCRIPTIONS, secret: signingSecret('a') },
      { actor, keyId: 'k', name: 'n', userId: 'u', scopes: ['read'], sandbox: false, secret: SECRET, more: [null] },
      { actor: { ...actor, more: 1 }, keyId: 'k' },
      { actor, digest: 'd'.repeat(64), idempotency: { key: 'k', route: 'POST /x', bodyDigest: 'd' } },
    )
    .map((body) => JSON.stringify(body)),
  fc.constantFrom('', '{', 'null', '[]', '"a"', ' {"keyId" : "k" }\n', '{"__proto__":{"keyId":"k"}}', '{"a":1e999}'),
  fc.json(),
  fc.string(),
);
const commands: fc.Arbitrary<CommandText> = fc.record({
  id: fc.string({ unit: 'binary' }),
  wallTime: fc.oneof(fc.constantFrom(WALL_MS, 0, -1, 8_640_000_000_000_001, Number.NaN), fc.integer()),
  type: fc.oneof(fc.constantFrom(...COMMAND_TYPES.keys()), fc.constantFrom('', '__proto__', 'key"', 'toString')),
  body: bodies,
});

describe('packed commands', () => {
  it('are read as they are one by one', () => {
    let surelyGood = 0;
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 20 }), (sequence) => {
        const read = sequence.map(readCommand);
        expect(unpackCommands(packCommands(sequence))).toEqual(read);
        surelyGood += read.filter((one) => one.ok && one.isSurelyGood).length;
      }),
      { seed: 11, numRuns: 500 },
    );
    expect(surelyGood).toBeGreaterThan(20);
  });
});
