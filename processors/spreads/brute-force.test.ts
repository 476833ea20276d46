import { describe, expect, it } from 'vitest';
import { arbitrageHeadTopic, eventTopic, spreadHeadTopic, type UniversalEvent } from '#schemas/topics/derived';
import { bookTopics, statusTopics } from '#schemas/topics/normalised';
import { probeStage } from '../testing/stage-probe.fixture.ts';
import { expectedHeads, expectedLegs, type PlainBook, type PlainLeg, Ratio } from './naive-arbitrage.fixture.ts';
import { createSpreadsStage } from './stage.ts';

/** A reproducible stream of numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('spreads and arbitrage', () => {
  it('agree to the last digit with arithmetic that has nothing clever in it, over 2,500 random events', () => {
    let compared = 0;
    let withRecords = 0;
    for (let seed = 1; seed <= 2500; seed += 1) {
      const random = seeded(seed);
      const below = (n: number) => Math.floor(random() * n);
      const pick = <T>(values: readonly T[]) => values[below(values.length)]!;
      const sizeText = pick(['100', '100', '1', '33.3', '0.000001']);
      const probe = probeStage(createSpreadsStage({ arbitrageSize: sizeText }));
      const legs = Array.from({ length: 2 + below(3) }, (_, at): PlainLeg => {
        const provider =
          at === 0 ? 'venue_a_outcome' : at === 1 ? 'venue_b' : pick(['venue_a_outcome', 'venue_b'] as const);
        return {
          provider,
          marketId: `m${at}`,
          inverse: random() < 0.3,
          rate: random() < 0.05 ? null : provider === 'venue_b' ? pick(['0', '0.05', '0.07']) : '0.0007',
          yes: `y${at}`,
          no: `n${at}`,
        };
      }).sort((a, b) => (a.provider + a.marketId < b.provider + b.marketId ? -1 : 1));
      const books = new Map<string, PlainBook>(
        legs.flatMap(({ yes, no }) =>
          [yes, no].map((name) => [name, { bids: new Map(), asks: new Map(), known: false, live: false }]),
        ),
      );
      const heads = new Map<string, unknown>();
      let spread: unknown;
      let at = 1000;
      const note = (outputs: ReturnType<typeof probe.remove>) => {
        for (const { topic, key, value } of outputs) {
          if (topic === spreadHeadTopic.name) spread = value;
          if (topic !== arbitrageHeadTopic.name) continue;
          if (value === null) heads.delete(key);
          else heads.set(key, value);
        }
      };
      const event: UniversalEvent = {
        universalId: 'evt_x',
        receivedAt: at,
        canonicalName: '',
        kind: 'price_binary',
        underlying: 'BTC',
        threshold: '1',
        op: 'gte',
        resolutionTime: null,
        status: 'open',
        firstSeenAt: at,
        lastSeenAt: at,
        links: legs.map((leg) => ({
          provider: leg.provider,
          providerMarketId: leg.marketId,
          confidence: 0.9,
          source: 'ner',
          polarity: leg.inverse ? 'inverse' : 'same',
          used: true,
          evidence: '{}',
          yesInstrument: leg.yes,
          noInstrument: leg.no,
          takerFeeRate: leg.rate,
        })),
        mergedInto: null,
      };
      const tellEventAt = below(3);
      for (let step = 0; step < 11; step += 1) {
        at += 1 + below(50);
        if (step === tellEventAt) note(probe.send(eventTopic, 'evt_x', { ...event, receivedAt: at }));
        const leg = pick(legs);
        const name = pick([leg.yes, leg.yes, leg.no]);
        const book = books.get(name)!;
        const venue = leg.provider === 'venue_b' ? 'venue_b' : 'venue_a';
        const common = { provider: leg.provider, instrument: name, marketId: leg.marketId, feed: 'f', receivedAt: at };
        if (!book.live || random() < 0.1) {
          book.live = !book.live || random() < 0.5;
          note(probe.send(statusTopics[venue], name, { ...common, state: book.live ? 'live' : 'stale', since: at }));
        }
        const snapshot = !book.known || random() < 0.2;
        const levels = (isBid: boolean) =>
          Array.from({ length: below(snapshot ? 6 : 3) }, () => {
            const thousandths = isBid ? 300 + below(250) : 480 + below(250);
            const size =
              !snapshot && random() < 0.3 ? '0' : pick(['5', '40.5', '77.123456', '100', '250', '0.0000005']);
            return { price: `0.${thousandths}`.replace(/0+$/, ''), size };
          });
        const bids = levels(true);
        const asks = levels(false);
        if (snapshot) {
          book.bids.clear();
          book.asks.clear();
        }
        for (const [side, changes] of [
          [book.bids, bids],
          [book.asks, asks],
        ] as const) {
          for (const { price, size } of changes) {
            if (size === '0') side.delete(price);
            else side.set(price, size);
          }
        }
        book.known = true;
        note(probe.send(bookTopics[venue], name, { ...common, ts: at, snapshot, bids, asks }));
        if (step < tellEventAt) continue;
        const expected = expectedHeads(legs, books, Ratio.of(sizeText));
        expect([...heads.keys()].sort(), `seed ${seed} step ${step}`).toEqual(Object.keys(expected).sort());
        for (const [key, fields] of Object.entries(expected))
          expect(heads.get(key), `seed ${seed}`).toMatchObject(fields as object);
        const told = (spread as { legs: object[] }).legs;
        for (const [index, fields] of expectedLegs(legs, books).entries()) expect(told[index]).toMatchObject(fields);
        compared += 1;
        withRecords += Object.keys(expected).length;
      }
    }
    expect(compared).toBeGreaterThan(20_000);
    expect(withRecords).toBeGreaterThan(5_000);
  });
});
