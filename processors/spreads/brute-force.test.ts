import { describe, expect, it } from 'vitest';
import { aLink, anEvent } from '#schemas/testing/records.fixture';
import { type ArbitrageSignal, arbitrageSignalTopic } from '#schemas/topics/arbitrage-signals';
import { clockTopic } from '#schemas/topics/control';
import { arbitrageHeadTopic, eventTopic, spreadHeadTopic, type UniversalEvent } from '#schemas/topics/derived';
import { bookTopics, statusTopics } from '#schemas/topics/normalised';
import { probeStage, type StageProbe } from '../testing/stage-probe.fixture.ts';
import {
  emptyBook,
  expectedHeads,
  expectedLegs,
  naivePairs,
  type PlainBook,
  type PlainLeg,
  Ratio,
} from './naive-arbitrage.fixture.ts';
import { type NaiveEvaluation, type NaiveSignal, naiveSignals } from './naive-signals.fixture.ts';
import { createSpreadsStage } from './stage.ts';

/** Creates a reproducible stream of numbers in [0, 1). */
function seeded(seed: number) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(random() * n);
  return { random, below, pick: <T>(values: readonly T[]) => values[below(values.length)]! };
}
type Chance = ReturnType<typeof seeded>;

function legOf(chance: Chance, provider: PlainLeg['provider'], name: string): PlainLeg {
  const rate = provider === 'venue_b' ? chance.pick(['0', '0.05', '0.07', '0.0123456']) : '0.0007';
  return {
    provider,
    marketId: `m${name}`,
    inverse: chance.random() < 0.3,
    rate: chance.random() < 0.05 ? null : rate,
    yes: `#y${name}`,
    no: `#n${name}`,
    marketState: 'open',
  };
}

const byMarket = (a: PlainLeg, b: PlainLeg) => (a.provider + a.marketId < b.provider + b.marketId ? -1 : 1);
const booksOf = (legs: readonly PlainLeg[]) =>
  new Map(legs.flatMap(({ yes, no }) => [yes, no].map((name) => [name, emptyBook()] as const)));

function eventOf(universalId: string, legs: readonly PlainLeg[], receivedAt: number): UniversalEvent {
  const links = legs.map((leg) =>
    aLink({
      provider: leg.provider,
      providerMarketId: leg.marketId,
      polarity: leg.inverse ? 'inverse' : 'same',
      yesInstrument: leg.yes,
      noInstrument: leg.no,
      takerFeeRate: leg.rate,
      marketState: leg.marketState,
    }),
  );
  const isResolved = legs.every(({ marketState }) => marketState === 'resolved');
  return anEvent({ universalId, receivedAt, links, status: isResolved ? 'resolved' : 'open' });
}

type Levels = { price: string; size: string }[];

/** Runs the stage next to naively maintained books. */
function runStage(stage: ReturnType<typeof createSpreadsStage>, books: Map<string, PlainBook>) {
  const probe = probeStage(stage);
  const emitted = {
    heads: new Map<string, unknown>(),
    spreads: new Map<string, unknown>(),
    signals: new Map<string, ArbitrageSignal>(),
  };
  const note = (outputs: ReturnType<StageProbe['remove']>) => {
    for (const { topic, key, value } of outputs) {
      if (topic === spreadHeadTopic.name) emitted.spreads.set(key, value);
      if (topic === arbitrageSignalTopic.name)
        emitted.signals.set((value as ArbitrageSignal).id, value as ArbitrageSignal);
      if (topic !== arbitrageHeadTopic.name) continue;
      if (value === null) emitted.heads.delete(key);
      else emitted.heads.set(key, value);
    }
  };
  const common = (leg: PlainLeg, instrument: string, receivedAt: number) => ({
    provider: leg.provider,
    instrument,
    marketId: leg.marketId,
    feed: 'f',
    receivedAt,
  });
  const venueOf = (leg: PlainLeg) => (leg.provider === 'venue_b' ? 'venue_b' : 'venue_a');
  return {
    emitted,
    event: (event: UniversalEvent) => note(probe.send(eventTopic, event.universalId, event)),
    tick: (at: number) =>
      note(probe.send(clockTopic, 'clock', { receivedAt: at, tick: true, hour: false, day: false })),
    end(leg: PlainLeg, name: string, at: number) {
      books.set(name, emptyBook());
      note(probe.remove(statusTopics[venueOf(leg)], name, at));
    },
    status(leg: PlainLeg, name: string, at: number, state: NonNullable<PlainBook['state']>) {
      books.get(name)!.state = state;
      note(probe.send(statusTopics[venueOf(leg)], name, { ...common(leg, name, at), state, since: at }));
    },
    book(leg: PlainLeg, name: string, at: number, snapshot: boolean, bids: Levels, asks: Levels) {
      const book = books.get(name)!;
      for (const [side, changes] of [
        [book.bids, bids],
        [book.asks, asks],
      ] as const) {
        if (snapshot) side.clear();
        for (const { price, size } of changes) {
          if (size === '0') side.delete(price);
          else side.set(price, size);
        }
      }
      book.at = at;
      note(probe.send(bookTopics[venueOf(leg)], name, { ...common(leg, name, at), ts: at, snapshot, bids, asks }));
    },
  };
}

/** Returns a signal as text. A peak is emitted with the record after it, so it is omitted while a signal rises. */
function lastEmitted(signal: NaiveSignal): string {
  const { kind, firstProvider, firstMarketId, secondProvider, secondMarketId, beganAt, decayedAt, endedAt } = signal;
  const peak = decayedAt === null ? null : [signal.peakAt, signal.peakNetEdge];
  const pair = [kind, firstProvider, firstMarketId, secondProvider, secondMarketId];
  return JSON.stringify([...pair, beganAt, peak, decayedAt, endedAt]);
}

describe('spreads, arbitrage and signals', () => {
  it('equal to the last digit the results of naive arithmetic, for 1,000 changing events', () => {
    const counts = { compared: 0, records: 0, signals: 0, decayed: 0, restated: 0, ended: 0 };
    for (let seed = 1; seed <= 1_000; seed += 1) {
      const chance = seeded(seed);
      const { below, pick, random } = chance;
      const sizeText = pick(['100', '100', '1', '33.3', '0.000001']);
      const legs = Array.from({ length: 2 + below(3) }, (_, at) =>
        legOf(chance, (['venue_a_outcome', 'venue_b'] as const)[at] ?? pick(['venue_a_outcome', 'venue_b']), `${at}`),
      ).sort(byMarket);
      const books = booksOf(legs);
      const all = runStage(createSpreadsStage({ arbitrageSize: sizeText }), books);
      const evaluations: NaiveEvaluation[] = [];
      let known = false;
      let at = 1_000;
      const evaluate = () => {
        if (known) evaluations.push({ at, pairs: naivePairs(legs, books, Ratio.of(sizeText)) });
      };
      const sendEventAt = below(3);
      for (let step = 0; step < 14; step += 1) {
        // Some records have the same millisecond.
        at += below(50);
        if (step === sendEventAt) {
          all.event(eventOf('evt_x', legs, at));
          known = true;
          evaluate();
        }
        const leg = pick(legs);
        if (known && random() < 0.12) {
          // Also in reverse: a resolution is reverted, a catalog opens a market again.
          leg.marketState = pick(['open', 'open', 'open', 'closed', 'resolved']);
          at += 1;
          all.event(eventOf('evt_x', legs, at));
          evaluate();
          counts.restated += 1;
        }
        const name = pick([leg.yes, leg.yes, leg.no]);
        if (random() < 0.02) {
          all.end(leg, name, at);
          evaluate();
        }
        const book = books.get(name)!;
        if (book.state !== 'live' || random() < 0.1) {
          const isLive = book.state !== 'live' && random() < 0.9;
          all.status(leg, name, at, isLive ? 'live' : pick(['live', 'recovering', 'stale', 'venue_down']));
          evaluate();
        }
        const snapshot = book.at === null || random() < 0.2;
        const levels = (isBid: boolean) =>
          Array.from({ length: below(snapshot ? 6 : 3) }, () => {
            const thousandths = isBid ? 300 + below(250) : 440 + below(290);
            const size =
              !snapshot && random() < 0.3 ? '0' : pick(['5', '40.5', '77.123456', '100', '250', '0.0000005']);
            return { price: `0.${thousandths}`.replace(/0+$/, ''), size };
          });
        all.book(leg, name, at, snapshot, levels(true), levels(false));
        if (!known) continue;
        evaluate();
        const expected = expectedHeads('evt_x', evaluations.at(-1)!.pairs);
        expect([...all.emitted.heads.keys()].sort(), `seed ${seed} step ${step}`).toEqual(Object.keys(expected).sort());
        for (const [key, fields] of Object.entries(expected))
          expect(all.emitted.heads.get(key), `seed ${seed}`).toMatchObject(fields);
        const { legs: emittedLegs } = all.emitted.spreads.get('evt_x') as { legs: object[] };
        for (const [index, fields] of expectedLegs(legs, books).entries())
          expect(emittedLegs[index]).toMatchObject(fields);
        if (random() < 0.2) all.tick(at);
        counts.compared += 1;
        counts.records += Object.keys(expected).length;
        if (legs.some(({ marketState }) => marketState !== 'open')) counts.ended += 1;
      }
      if (random() < 0.3) {
        at += 1;
        all.event({ ...eventOf('evt_x', legs, at), status: 'resolved' });
        evaluations.push({ at, pairs: [] });
      }
      const expected = naiveSignals(evaluations);
      const emitted = [...all.emitted.signals.values()];
      expect(emitted.map(lastEmitted).sort(), `seed ${seed}`).toEqual(expected.map(lastEmitted).sort());
      counts.signals += expected.length;
      counts.decayed += expected.filter(({ decayedAt, endedAt }) => decayedAt !== null && decayedAt !== endedAt).length;
    }
    expect(counts.compared).toBeGreaterThan(8_000);
    expect(counts.records).toBeGreaterThan(2_500);
    expect(counts.signals).toBeGreaterThan(500);
    // Fell to half without ending there.
    expect(counts.decayed).toBeGreaterThan(30);
    expect(counts.restated).toBeGreaterThan(1_000);
    // Compared while some market was closed or resolved.
    expect(counts.ended).toBeGreaterThan(1_000);
  });

  it('equal naive arithmetic on 10,000 pairs of deep and thin books of two venues, with fees rounded level by level', () => {
    const counts = { pairs: 0, cross: 0, negation: 0, short: 0 };
    for (const sizeText of ['100', '33.3', '0.7']) {
      const chance = seeded(sizeText.length * 7);
      const { below, pick, random } = chance;
      const events = Array.from({ length: 40 }, (_, event) => {
        const legs = [legOf(chance, 'venue_a_outcome', `a${event}`), legOf(chance, 'venue_b', `b${event}`)];
        return { id: `evt_${event}`, legs };
      });
      const books = booksOf(events.flatMap(({ legs }) => legs));
      const all = runStage(createSpreadsStage({ arbitrageSize: sizeText }), books);
      for (const { id, legs } of events) {
        all.event(eventOf(id, legs, 1));
        for (const leg of legs) for (const name of [leg.yes, leg.no]) all.status(leg, name, 1, 'live');
      }
      const side = (isBid: boolean) =>
        Array.from({ length: 1 + below(9) }, () => {
          const price = isBid ? 3_000 + below(2_200) : 4_800 + below(2_200);
          const size = pick([1 + below(40), below(4_000) / 100, below(90_000_000) / 1_000_000]);
          return { price: `0.${String(price)}`.replace(/0+$/, ''), size: size.toFixed(6).replace(/\.?0+$/, '') };
        }).filter(({ size }) => size !== '0');
      for (let nth = 0; nth < 3_400; nth += 1) {
        const { id, legs } = pick(events);
        const at = 10 + nth;
        for (const leg of legs) {
          for (const name of [leg.yes, leg.no]) {
            if (random() < 0.8 || books.get(name)!.at === null) all.book(leg, name, at, true, side(true), side(false));
          }
        }
        const pairs = naivePairs(legs, books, Ratio.of(sizeText));
        const expected = expectedHeads(id, pairs);
        for (const kind of ['cross_provider', 'negation_pair'] as const) {
          const head = all.emitted.heads.get(`${id}:${kind}`);
          const fields = expected[`${id}:${kind}`];
          if (fields === undefined) expect(head).toBeUndefined();
          else expect(head, `${sizeText} ${nth}`).toMatchObject(fields);
        }
        counts.pairs += 1;
        counts.cross += pairs.filter(({ kind }) => kind === 'cross_provider').length;
        counts.negation += pairs.filter(({ kind }) => kind === 'negation_pair').length;
        if (pairs.length < 4) counts.short += 1;
      }
    }
    expect(counts.pairs).toBeGreaterThan(10_000);
    expect(counts.cross).toBeGreaterThan(5_000);
    expect(counts.negation).toBeGreaterThan(5_000);
    // At least one of the four walks found less than the size.
    expect(counts.short).toBeGreaterThan(500);
  });
});
