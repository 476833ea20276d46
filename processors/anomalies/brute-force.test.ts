import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal } from '#schemas/domain/decimal';
import type { Anomaly } from '#schemas/topics/anomalies';
import { book, driveAnomalies, event, minute, trade } from './anomalies.fixture.ts';
import { plainDetections, type StoryEvent } from './plain-anomalies.fixture.ts';

const MARKETS = ['m', 'n'];
/** Story times are spread over so many minutes. */
const MINUTES = 60;

/** A generator of numbers below a limit; the same seed gives the same ones. */
function numbers(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Trades of few wallets and books with some that are far off, chain trades that are told again, and ticks. */
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
    const made = trade(market, at, {
      ts: at - below(below(8) === 0 ? 90_000 : 3_000),
      qty: `${1 + below(30) + (isWild ? 900 : 0)}.${below(10)}`,
      maker: `0x${below(40)}`,
      taker: isWild ? '0xbot' : `0x${below(40)}`,
      status: chain ? 'pending' : 'confirmed',
    });
    story.push({ at, trade: made });
    if (isWild) {
      for (let more = 0; more < 9; more += 1) {
        story.push({ at, trade: trade(market, at, { ts: made.ts, qty: '0.5', taker: '0xbot' }) });
      }
    }
    if (!chain) continue;
    const status = below(3) === 0 ? ('reverted' as const) : ('confirmed' as const);
    story.push({ at: at + 1 + below(400_000), trade: { ...made, status } });
  }
  for (let at = minute(0); at <= minute(MINUTES + 10); at += 5_000) story.push({ at, tick: true });
  return story.sort((a, b) => a.at - b.at);
}

/** What the stage tells of a story. @param every events after which it goes on from a snapshot. */
function toldOf(story: readonly StoryEvent[], every = Number.POSITIVE_INFINITY): Anomaly[] {
  const stage = driveAnomalies('4');
  stage.event(event('evt_1', MARKETS));
  for (const [index, step] of story.entries()) {
    if ('trade' in step) stage.trade(step.trade, step.at);
    else if ('book' in step) stage.book(step.book);
    else stage.tick(step.at);
    if ((index + 1) % every === 0) stage.driver.restart();
  }
  return stage.told();
}

const order = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('the detectors', () => {
  it('tell of any story what is worked out from all of it at once', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const story = storyOf(seed);
        const expected = plainDetections(story, MARKETS, 4n).map(({ value, ...rest }) => ({
          ...rest,
          value: `${value}`,
        }));
        const told = toldOf(story).map(({ kind, marketId, ts, value, raw }) => ({
          kind,
          marketId,
          ts,
          count: JSON.parse(raw!).baselineCount,
          value: `${parseDecimal(value)}`,
        }));
        found += told.length;
        expect(told.sort(order)).toEqual(expected.map(({ value, ...rest }) => ({ ...rest, value })).sort(order));
      }),
      { numRuns: 12, seed: 7 },
    );
    expect(found).toBeGreaterThan(12);
  });

  it('tell the same under the same ids wherever they are stopped and go on from a snapshot', () => {
    const story = storyOf(3);
    const told = toldOf(story);
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
    for (const every of [1, 7, 100]) expect(toldOf(story, every)).toEqual(told);
  });
});
