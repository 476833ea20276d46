import { expect, it } from 'vitest';
import { RequestedBooks } from './requested-books.ts';

it('counts a book as requested for a minute after the newest request', async () => {
  let changes = 0;
  const books = new RequestedBooks(() => {
    changes += 1;
  });
  const { signal } = new AbortController();
  const request = (coins: string[], requestedAt: number) =>
    books.handler.run({ coins }, { signal, requestedAt, orgIds: new Set(['org']) });
  expect(await request(['BTC', '#10'], 0)).toEqual({});
  await request(['BTC'], 30_000);
  // An older request that arrives late shortens nothing.
  await request(['BTC'], 10_000);
  expect(changes).toBe(1);
  expect([74_999, 75_000, 104_999, 105_000].map((now) => [...books.coins(now)])).toEqual([
    ['BTC', '#10'],
    ['BTC'],
    ['BTC'],
    [],
  ]);
});
