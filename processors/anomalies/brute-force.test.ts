import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal } from '#schemas/domain/decimal';
import type { Anomaly } from '#schemas/topics/anomalies';
import { book, driveAnomalies, event, minute, trade } from './anomalies.fixture.ts';
import { plainDetections, type StoryEvent } from './plain-anomalies.fixture.ts';

const MARKETS = ['m', 'n'];
/** Length of a story in minutes. */
const MINUTES = 60;

/** Creates a generator of numbers below a limit; the same seed gives the same numbers. */
function numbers(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Creates trades of few wallets and books with some outliers, repeated chain trades, and ticks. */
function storyOf(seed: number): StoryEvent[] {
  const below = numbers(seed);
  const story: StoryEvent[] = [];
  for (let at = minute(0); at < minute(MINUTES); at += 1 + below(20_000)) {
    const market = MARKETS[below(2)]!;
    const isWild = below(60) === 0;
    if (below(3) === 0) {
      const ask = 51 + below(3) + (isWild ? 40 : 0);
      story.push({ at, book: book(market, at, '0.49', `0.${ask}`) });
      continue;
    }
    const chain = below(2) === 0;
    const original = trade(market, at, {
      ts: at - below(below(8) === 0 ? 90_000 : 3_000),
      qty: `${1 + below(30) + (isWild ? 900 : 0)}.${below(10)}`,
      maker: `0x${below(40)}`,
      taker: isWild ? '0xbot' : `0x${below(40)}`,
      status: chain ? 'pending' : 'confirmed',
    });
    story.push({ at, trade: original });
    if (isWild) {
      for (let more = 0; more < 9; more += 1) {
        story.push({ at, trade: trade(market, at, { ts: original.ts, qty: '0.5', taker: '0xbot' }) });
      }
    }
    if (!chain) continue;
    const status = below(3) === 0 ? ('reverted' as const) : ('confirmed' as const);
    story.push({ at: at + 1 + below(400_000), trade: { ...original, status } });
  }
  for (let at = minute(0); at <= minute(MINUTES + 10); at += 5_000) story.push({ at, tick: true });
  return story.sort((a, b) => a.at - b.at);
}

/** Returns the anomalies that the stage emits for a story. @param every number of records between restarts. */
function anomaliesOf(story: readonly StoryEvent[], every = Number.POSITIVE_INFINITY): Anomaly[] {
  const stage = driveAnomalies('4');
  stage.event(event('evt_1', MARKETS));
  for (const [index, step] of story.entries()) {
    if ('trade' in step) stage.trade(step.trade, step.at);
    else if ('book' in step) stage.book(step.book);
    else stage.tick(step.at);
    if ((index + 1) % every === 0) stage.driver.restart();
  }
  return stage.anomalies();
}

const order = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('the detectors', () => {
  it('emit for any story the anomalies that a calculation over the complete story gives', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const story = storyOf(seed);
        const expected = plainDetections(story, MARKETS, 4n).map(({ value, ...rest }) => ({
          ...rest,
          value: `${value}`,
        }));
        const emitted = anomaliesOf(story).map(({ kind, marketId, ts, value, raw }) => ({
          kind,
          marketId,
          ts,
          count: JSON.parse(raw!).baselineCount,
          value: `${parseDecimal(value)}`,
        }));
        found += emitted.length;
        expect(emitted.sort(order)).toEqual(expected.map(({ value, ...rest }) => ({ ...rest, value })).sort(order));
      }),
      { numRuns: 12, seed: 7 },
    );
    expect(found).toBeGreaterThan(12);
  });

  it('emit the same anomalies with the same ids wherever they restart from a snapshot', () => {
    const story = storyOf(3);
    const emitted = anomaliesOf(story);
    expect(emitted.length).toBeGreaterThan(0);
    expect(new Set(emitted.map(({ id }) => id)).size).toBe(emitted.length);
    for (const every of [1, 7, 100]) expect(anomaliesOf(story, every)).toEqual(emitted);
  });
});
