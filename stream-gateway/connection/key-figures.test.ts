import { expect, it } from 'vitest';
import type { Connection } from './connection.ts';
import { KeyFigures } from './key-figures.ts';

const MINUTE_MS = 60_000;
const principalOf = (keyId: string) => ({ keyId, orgId: 'org', scopes: [], sandbox: false, session: null });
const connectionOf = (keyId: string, subscriptions: number, waitingBytes: number) =>
  ({
    principal: principalOf(keyId),
    subscriptions: new Map(Array.from({ length: subscriptions }, (_, nth) => [String(nth), null])),
    waitingBytes,
  }) as unknown as Connection;

it('sums the sockets of each key, its rate since the last call, and what was dropped within the hour', () => {
  let now = 10 * MINUTE_MS;
  const totals = { sent: 0, dropped: 0 };
  const figures = new KeyFigures(
    {
      sent: (frames) => {
        totals.sent += frames;
      },
      dropped: (frames) => {
        totals.dropped += frames;
      },
    },
    () => now,
  );
  const [one, same, two] = ['a', 'a', 'b'].map((keyId) => figures.countersOf(principalOf(keyId)));
  one!.sent(10);
  same!.sent(10);
  one!.dropped(3, 'slow');
  two!.dropped(2, 'quota');
  now += 2_000;
  const row = { orgId: 'org', sockets: 0, subscriptions: 0, queuedBytes: 0, sentPerSecond: 0, dropped1h: 0 };
  expect(figures.read([connectionOf('a', 2, 5), connectionOf('a', 1, 0), connectionOf('c', 0, 7)])).toEqual([
    { ...row, keyId: 'a', sockets: 2, subscriptions: 3, queuedBytes: 5, sentPerSecond: 10, dropped1h: 3 },
    { ...row, keyId: 'c', sockets: 1, queuedBytes: 7 },
    { ...row, keyId: 'b', dropped1h: 2 },
  ]);
  expect(totals).toEqual({ sent: 20, dropped: 5 });
  now += 59 * MINUTE_MS;
  expect(figures.read([]).map(({ keyId, dropped1h }) => [keyId, dropped1h])).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
  now += MINUTE_MS;
  one!.dropped(1, 'slow');
  expect(figures.read([])).toEqual([{ ...row, keyId: 'a', dropped1h: 1 }]);
});
