import { describe, expect, it } from 'vitest';
import { processCatalogAnswer } from './catalog.ts';
import { createCatalogState, patchesOf } from './catalog-state.ts';

const AT = 1_700_000_000_000;
const DAY_MS = 86_400_000;

describe('the stored markets', () => {
  const bounds = { max: 100, evicted: 10 };
  const effects = { onMarket: () => {}, onTokenListed: () => {}, onClosed: () => {} };

  function createCatalog() {
    const catalog = createCatalogState();
    const emitted: string[] = [];
    const emit = Object.assign((_topic: unknown, key: string) => void emitted.push(key), {
      remove: () => {},
      deadLetter: () => {},
    });
    const idOf = (at: number) => `0x${at.toString(16).padStart(64, '0')}`;
    const mention = (at: number, closed = false, more: object = {}) => {
      const market = {
        id: `${at}`,
        negRiskRequestID: idOf(at),
        conditionId: idOf(at),
        closed,
        clobTokenIds: [`${2 * at}`, `${2 * at + 1}`],
        outcomes: ['Yes', 'No'],
        ...more,
      };
      processCatalogAnswer(catalog, market, AT, emit, effects, bounds);
    };
    const sizes = () => [
      catalog.open.size + catalog.closed.size + catalog.closedLongAgo.size,
      catalog.tokens.size / 2,
      catalog.gammaIds.size,
      catalog.requestIds.size,
    ];
    const knows = (at: number) => catalog.tokens.has(String(2 * at));
    return { catalog, emitted, mention, sizes, knows, idOf };
  }

  it('are bounded: closed ones without a recent mention are evicted first, with all their ids', () => {
    const { mention, sizes, knows } = createCatalog();
    for (let at = 0; at < 50; at += 1) mention(at);
    for (let at = 50; at < 100; at += 1) mention(at, true);
    expect(sizes()).toEqual([100, 100, 100, 100]);
    mention(50, true);
    mention(100);
    expect(sizes()).toEqual([91, 91, 91, 91]);
    expect([0, 50, 51, 60, 61, 100].map(knows)).toEqual([true, true, false, false, true, true]);
    // Hundreds of closed markets evict each other and no open one.
    for (let at = 101; at < 1_000; at += 1) mention(at, true);
    expect(Array.from({ length: 50 }, (_, at) => knows(at)).every(Boolean)).toBe(true);
    expect(sizes()[0]).toBeLessThanOrEqual(bounds.max);
  });

  it('lose those first that were closed long ago when they came, so a crawl of closed markets evicts only its own', () => {
    const { mention, knows, sizes } = createCatalog();
    const closedTime = new Date(AT - 8 * DAY_MS).toISOString().slice(0, 19).replace('T', ' ').concat('+00');
    for (let at = 0; at < 30; at += 1) mention(at);
    // These stay: open here before, closed within the week, or with an unknown time of closing.
    for (let at = 0; at < 10; at += 1) mention(at, true, { closedTime });
    for (let at = 30; at < 40; at += 1)
      mention(at, true, { closedTime: '2023-11-10 00:00:00+00', endDate: '2020-01-01' });
    for (let at = 40; at < 50; at += 1) mention(at, true);
    // Mentioned again, as by a crawl.
    for (let at = 0; at < 10; at += 1) mention(at, true, { closedTime });
    for (let at = 50; at < 1_000; at += 1) mention(at, true, at % 2 === 0 ? { closedTime } : { endDate: '2023-11-01' });
    const known = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => knows(from + at));
    expect(known(0, 50).every(Boolean)).toBe(true);
    expect(known(50, 900).some(Boolean)).toBe(false);
    expect(new Set(sizes()).size).toBe(1);
    // If no others are left, the rest is evicted as before.
    for (let at = 1_000; at < 1_060; at += 1) mention(at);
    expect([known(10, 30), known(1_000, 1_060)].flat().every(Boolean)).toBe(true);
    expect(known(30, 40).some(Boolean)).toBe(false);
  });

  it('lose open ones only if no closed one is left, those without a recent mention first', () => {
    const { mention, knows } = createCatalog();
    for (let at = 0; at < 100; at += 1) mention(at);
    mention(0);
    mention(100);
    expect([0, 1, 10, 11, 100].map(knows)).toEqual([true, false, false, true, true]);
  });

  it('are restored unchanged, including fields that a later answer lacks', () => {
    const { catalog, emitted, mention, idOf } = createCatalog();
    const description = 'Will “Zoë” resolve to "Yes"? 日本 \n'.repeat(40);
    mention(1, false, { description, question: 'Zoë?' });
    mention(1);
    expect(emitted).toHaveLength(1);
    expect(patchesOf(catalog, idOf(1))).toMatchObject({ gamma: { title: 'Zoë?', description } });
    mention(1, true);
    mention(1, true);
    expect(emitted).toHaveLength(2);
    expect(patchesOf(catalog, idOf(1))).toMatchObject({ gamma: { title: 'Zoë?', closed: true } });
  });

  it('have few bytes each', () => {
    const { catalog, mention, idOf } = createCatalog();
    mention(1, false, { description: `This market will resolve to "Yes" if the bridge opens. ${'x'.repeat(1_000)}` });
    expect(catalog.open.get(idOf(1))!.length).toBeLessThan(250);
  });
});
