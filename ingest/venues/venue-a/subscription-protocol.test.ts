import { expect, it } from 'vitest';
import { SUBSCRIPTION_PROTOCOL } from './subscription-protocol.ts';

const read = (channel: string, data: unknown) =>
  SUBSCRIPTION_PROTOCOL.readReply(Buffer.from(JSON.stringify({ channel, data })));
const trades = { type: 'trades', coin: 'BTC' };
const fills = { type: 'userFills', user: '0xAB' };
const ranked = (subscription: { readonly type: string }) => ({ subscription, rank: 0 });

it('reads confirmations, also with fields that the venue adds', () => {
  expect(
    read('subscriptionResponse', { method: 'subscribe', subscription: { ...fills, aggregateByTime: false } }),
  ).toEqual({
    name: 'userFills 0xab',
    state: 'subscribed',
  });
  expect(read('subscriptionResponse', { method: 'unsubscribe', subscription: trades })).toMatchObject({
    state: 'ended',
  });
  expect(read('trades', [])).toBe(null);
});

it.each([
  [`Already subscribed: ${JSON.stringify(trades)}`, 'subscribed'],
  [`Already unsubscribed: ${JSON.stringify(trades)}`, 'ended'],
  [`Invalid subscription ${JSON.stringify(trades)}`, 'refused'],
  [`Too many subscriptions: ${JSON.stringify(trades)}`, 'refused'],
  [
    `Error parsing JSON into valid websocket request: ${JSON.stringify({ method: 'subscribe', subscription: trades })}`,
    'refused',
  ],
])('reads the error "%s"', (text, state) => {
  expect(read('error', text)).toMatchObject({ state });
});

it('reads that one user too many was refused', () => {
  const error = read('error', 'Cannot track more than 10 total users.');
  const refuses = error && 'text' in error ? error.refuses : null;
  expect([fills, trades].map((subscription) => refuses?.(ranked(subscription)))).toEqual([true, false]);
});

it.each([
  'Something that the venue never sent before',
  `Error parsing JSON into valid websocket request: ${JSON.stringify({ method: 'unsubscribe', subscription: trades })}`,
  'Invalid subscription {',
])('reads "%s" as an unknown error', (text) => {
  expect(read('error', text)).toEqual({ text, refuses: null });
});
