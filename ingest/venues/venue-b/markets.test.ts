import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignSockets } from './assign-sockets.ts';
import { type ListedMarket, readMarketPage } from './markets.ts';

const market = (conditionId: string, more: Partial<ListedMarket> = {}): ListedMarket => ({
  conditionId,
  tokens: [`${conditionId}y`, `${conditionId}n`],
  open: true,
  dayVolume: 0,
  cryptoPrice: false,
  ...more,
});

describe('readMarketPage', () => {
  const entry = {
    conditionId: '0xc1',
    clobTokenIds: '["11","12"]',
    question: 'Will it rain in Paris?',
    active: true,
    closed: false,
    volume24hr: 12.5,
  };

  it('reads a keyset page and a bare list', () => {
    const markets = [{ conditionId: '0xc1', tokens: ['11', '12'], open: true, dayVolume: 12.5, cryptoPrice: false }];
    expect(readMarketPage({ markets: [entry], next_cursor: 'abc' })).toEqual({ markets, nextCursor: 'abc' });
    expect(readMarketPage([entry])).toEqual({ markets, nextCursor: null });
    expect(readMarketPage({ markets: [], next_cursor: '' }).nextCursor).toBeNull();
  });

  it('treats a market as open unless a field says otherwise', () => {
    const openWith = (more: object) => readMarketPage([{ ...entry, ...more }]).markets[0]?.open;
    expect(openWith({ active: undefined, closed: undefined })).toBe(true);
    for (const no of [
      { active: false },
      { closed: true },
      { archived: true },
      { enableOrderBook: false },
      { acceptingOrders: false },
    ])
      expect(openWith(no)).toBe(false);
  });

  it.each([
    ['Will the price of Bitcoin be above $100,000 on March 3?', true],
    ['Ethereum Up or Down - 5 minutes', true],
    ['What price will SOL hit in May?', true],
    ['Will Bitcoin be legal tender in Chile?', false],
    ['Will gold close above $4,000?', false],
  ])('%s asks about the price of a coin: %s', (question, cryptoPrice) => {
    expect(readMarketPage([{ ...entry, question }]).markets[0]?.cryptoPrice).toBe(cryptoPrice);
  });

  it('skips entries without condition or readable tokens', () => {
    const broken = [
      null,
      {},
      { ...entry, conditionId: 3 },
      { ...entry, clobTokenIds: 'x' },
      { ...entry, clobTokenIds: '[]' },
    ];
    expect(readMarketPage(broken).markets).toEqual([]);
  });

  it.each([[null], [{}], ['text'], [{ markets: 3 }]])('refuses %j', (answer) => {
    expect(() => readMarketPage(answer)).toThrow(expect.objectContaining({ code: 'upstream_malformed' }));
  });
});

describe('assignSockets', () => {
  const limits = { sockets: 3, tokensPerSocket: 4 };

  it('leaves a market on its socket, whatever other markets appear and disappear', () => {
    const all = Array.from({ length: 6 }, (_, index) => market(`m${index}`));
    const first = assignSockets(all, new Map(), limits);
    const second = assignSockets([...all.slice(3), market('new')], first, limits);
    for (const { conditionId } of all.slice(3)) expect(second.get(conditionId)).toBe(first.get(conditionId));
    expect(second.has('new')).toBe(true);
    expect(second.has('m0')).toBe(false);
  });

  it('never exceeds the tokens of a socket, and leaves out only markets that do not fit', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 12 }), (names) => {
        const assigned = assignSockets(
          names.map((name) => market(name)),
          new Map(),
          limits,
        );
        const load = [0, 0, 0];
        for (const socket of assigned.values()) load[socket]! += 2;
        expect(Math.max(...load)).toBeLessThanOrEqual(4);
        expect(assigned.size).toBe(Math.min(6, names.length));
      }),
    );
  });
});
