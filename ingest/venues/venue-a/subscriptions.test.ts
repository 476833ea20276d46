import { describe, expect, it } from 'vitest';
import type { Market } from './markets.ts';
import { SUBSCRIPTION_PROTOCOL } from './subscription-protocol.ts';
import {
  limitSubscriptions,
  nameOf,
  type Subscription,
  slotOf,
  type WatchedMarkets,
  wantedSubscriptions,
} from './subscriptions.ts';

const marketsOf = (count: number): Market[] =>
  Array.from({ length: count }, (_, index) => ({ coin: `C${index}`, dayNotional: 10_000 - index }));
const sides = (...coins: string[]): Market[] => coins.map((coin) => ({ coin, dayNotional: 0 }));
const NOTHING: WatchedMarkets = {
  markets: [],
  outcomes: [],
  linked: new Set(),
  isHeld: () => false,
  users: [],
  requestedBooks: new Set(),
  bookCoins: [],
};
const namesOf = (subscriptions: readonly Subscription[]) => subscriptions.map(nameOf);

describe('wantedSubscriptions', () => {
  it('has the order of the contract', () => {
    const wanted = wantedSubscriptions({
      markets: [
        { coin: 'BTC', dayNotional: 9 },
        { coin: '@107', dayNotional: 90 },
      ],
      outcomes: [...sides('#10', '#11', '#20'), { coin: '#21', dayNotional: 50 }],
      linked: new Set(['#10', '#11', '#990']),
      isHeld: (coin) => coin === '#21' || coin === 'BTC',
      users: ['0xa', '0xb'],
      requestedBooks: new Set(['BTC', '#20', 'GONE']),
      bookCoins: ['@107', 'BTC'],
    });
    expect(wanted.map(namesOf)).toEqual([
      ['allMids', 'allDexsAssetCtxs', 'spotAssetCtxs', 'outcomeMetaUpdates'],
      ['trades #10', 'l2Book #10', 'trades #11', 'l2Book #11'],
      ['userFills 0xa', 'userFills 0xb'],
      ['l2Book #21'],
      ['trades @107', 'trades #21', 'trades BTC', 'trades #20'],
      ['l2Book #20'],
      ['l2Book BTC'],
      ['l2Book @107'],
    ]);
  });

  it('assigns all subscriptions of a coin to one slot', () => {
    const slots = ['trades', 'l2Book'].map((type) => slotOf({ type, coin: 'ETH' }, 8));
    expect(new Set(slots).size).toBe(1);
    expect(slotOf({ type: 'allMids' }, 8)).toBe(0);
    expect(slotOf({ type: 'userFills', user: '0xa' }, 8)).toBe(0);
  });
});

describe('the limit of subscriptions', () => {
  const cut = (watched: Partial<WatchedMarkets>, current: readonly Subscription[], max = 104) =>
    limitSubscriptions(wantedSubscriptions({ ...NOTHING, ...watched }), max, new Set(namesOf(current)));
  const allowedNames = ({ allowed }: ReturnType<typeof limitSubscriptions>) =>
    allowed.map(({ subscription }) => nameOf(subscription));

  it('cuts the list by rank, and leaves nothing out below it', () => {
    const result = cut({ markets: marketsOf(150), bookCoins: ['C0'] }, []);
    expect(allowedNames(result)).toHaveLength(104);
    expect(allowedNames(result).at(-1)).toBe('trades C99');
    expect(result.allowed.map(({ rank }) => rank)).toEqual(Array.from({ length: 104 }, (_, index) => index));
    expect(namesOf(result.leftOut)).toEqual([
      ...Array.from({ length: 50 }, (_, index) => `trades C${index + 100}`),
      'l2Book C0',
    ]);
    expect(cut({ markets: marketsOf(3) }, []).leftOut).toEqual([]);
  });

  it('does not exchange markets near it, but those that have fallen far', () => {
    const first = cut({ markets: marketsOf(150) }, []);
    const current = first.allowed.map(({ subscription }) => subscription);
    const ranked = marketsOf(150);
    // C99 falls by five places, C98 by thirty.
    const changed = [...ranked.slice(0, 98), ...ranked.slice(100, 105), ranked[99]!, ...ranked.slice(105, 130)];
    const markets = [...changed, ranked[98]!, ...ranked.slice(130)].map(({ coin }, index) => ({
      coin,
      dayNotional: 10_000 - index,
    }));
    const names = allowedNames(cut({ markets }, current));
    expect(names).toHaveLength(104);
    expect(names).toContain('trades C99');
    expect(names).not.toContain('trades C98');
    expect(names.filter((name) => !allowedNames(first).includes(name))).toEqual(['trades C100']);
  });

  it('lets a more important class displace what is subscribed', () => {
    const bookCoins = Array.from({ length: 100 }, (_, index) => `B${index}`);
    const current = cut({ markets: marketsOf(50), bookCoins }, []).allowed.map(({ subscription }) => subscription);
    const result = cut({ markets: marketsOf(50), bookCoins, requestedBooks: new Set(['C7']) }, current);
    expect(allowedNames(result)).toContain('l2Book C7');
    expect(allowedNames(result)).toHaveLength(104);
  });
});

describe('replies of the venue', () => {
  const read = (frame: unknown) => SUBSCRIPTION_PROTOCOL.readReply(Buffer.from(JSON.stringify(frame)));
  const book = { type: 'l2Book', coin: '@107', nSigFigs: null, mantissa: null };

  it.each([
    ['subscriptionResponse', { method: 'subscribe', subscription: book }, 'subscribed'],
    ['subscriptionResponse', { method: 'unsubscribe', subscription: book }, 'ended'],
    ['error', 'Already subscribed: {"type":"l2Book","coin":"@107"}', 'subscribed'],
    ['error', 'Already unsubscribed: {"type":"l2Book","coin":"@107"}', 'ended'],
    ['error', 'Invalid subscription {"type":"l2Book","coin":"@107"}', 'refused'],
    ['error', 'Too many subscriptions: {"type":"l2Book","coin":"@107"}', 'refused'],
  ])('are read from %s %j', (channel, data, state) => {
    expect(read({ channel, data })).toEqual({ name: 'l2Book @107', state });
  });

  it('name the user, in lower case', () => {
    const subscription = { type: 'userFills', user: '0xAB', aggregateByTime: false };
    const reply = read({ channel: 'subscriptionResponse', data: { method: 'subscribe', subscription } });
    expect(reply).toEqual({ name: nameOf({ type: 'userFills', user: '0xab' }), state: 'subscribed' });
  });

  it('state that a subscription is refused whose frame the venue does not know', () => {
    const frame = JSON.stringify({ method: 'subscribe', subscription: book });
    const data = `Error parsing JSON into valid websocket request: ${frame}`;
    expect(read({ channel: 'error', data })).toEqual({ name: 'l2Book @107', state: 'refused' });
  });

  it('state that one user too many was refused', () => {
    const error = read({ channel: 'error', data: 'Cannot track more than 10 total users.' });
    const refuses = error && 'text' in error ? error.refuses : null;
    const isRefused = (subscription: Subscription) => refuses?.({ subscription, rank: 0 });
    expect([isRefused({ type: 'userFills', user: '0xab' }), isRefused({ type: 'trades', coin: 'BTC' })]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    'Error parsing JSON into valid websocket request: x',
    'Error parsing JSON into valid websocket request: {"method":"unsubscribe","subscription":{"type":"trades","coin":"BTC"}}',
    'Invalid subscription',
    'Too many subscriptions: {',
    'Something that the venue never sent before',
  ])('are unknown errors if they say "%s"', (data) => {
    expect(read({ channel: 'error', data })).toEqual({ text: data, refuses: null });
  });

  it('are an unknown error without its text', () => {
    expect(read({ channel: 'error' })).toEqual({ text: '', refuses: null });
  });

  it.each([
    { channel: 'trades', data: [] },
    { channel: 'subscriptionResponse', data: { method: 'subscribe' } },
  ])('are not found in %j', (frame) => {
    expect(read(frame)).toBeNull();
  });
});
