import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { accountValuesTable } from '#schemas/tables/account-values';
import type { AccountValue } from '#schemas/topics/accounts';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { anAccountValue, NOON_MS } from '../testing/records.fixture.ts';
import { readBalanceHead } from './balance-head.ts';

const { store, close } = await openTestStore();
afterAll(close);

const ADDRESS = `0x${'a1'.repeat(20)}`;
const BOTH = [
  { provider: 'venue_a', address: ADDRESS },
  { provider: 'venue_b', address: ADDRESS },
] as const;
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

const newest = new Map<string, AccountValue>();
const stored: AccountValue[] = [];
beforeEach(async () => {
  newest.clear();
  stored.length = 0;
  await store.command('TRUNCATE TABLE account_values');
});

/** Adds an acquisition that was complete so long before noon. */
function add(venue: 'venue_a' | 'venue_b', agoMs: number, fields: Partial<AccountValue> = {}): void {
  const account = `${venue}:${ADDRESS}`;
  const ofVenueA: Partial<AccountValue> =
    venue === 'venue_b'
      ? {}
      : {
          source: 'node',
          mode: 'default',
          valueUsd: '100.1',
          availableUsd: '40',
          navUsd: '100.1',
          unrealizedPnlUsd: '-1.5',
          buckets: [
            { kind: 'perp', usd: '60' },
            { kind: 'spot', usd: '40.1' },
          ],
          spotBalances: [{ coin: 'USDC', total: '40.1', hold: '0', usd: '40.1' }],
          perpByDex: [{ dex: '', accountValueUsd: '60', unrealizedPnlUsd: '-1.5' }],
        };
  const value = anAccountValue({ account, receivedAt: NOON_MS - agoMs, ...ofVenueA, ...fields });
  stored.push(value);
  const known = newest.get(account);
  if (!known || known.receivedAt < value.receivedAt) newest.set(account, value);
}
async function read(accounts: Parameters<typeof readBalanceHead>[0] = BOTH, now = NOON_MS) {
  await insertRows(store, accountValuesTable, stored, 1);
  return readBalanceHead(accounts, now, { views: { accountValues: newest }, store } as never);
}

describe('the newest checkpoint', () => {
  it('has a slice of each venue and sums over them', async () => {
    add('venue_a', 30 * SECOND);
    add('venue_b', 10 * SECOND);
    expect(await read()).toEqual({
      checkpointId: expect.stringMatching(/^[\w-]{22}$/),
      asOf: iso(NOON_MS - 30 * SECOND),
      expiresAt: iso(NOON_MS - 30 * SECOND + 24 * HOUR),
      dataStatus: 'fresh',
      slices: [
        {
          provider: 'venue_a',
          address: ADDRESS,
          valueUsd: 100.1,
          availableUsd: 40,
          navUsd: 100.1,
          source: 'node',
          asOf: iso(NOON_MS - 30 * SECOND),
          buckets: [
            { kind: 'perp', usd: 60 },
            { kind: 'spot', usd: 40.1 },
          ],
          accountMode: 'default',
          spotBalances: [{ coin: 'USDC', total: 40.1, hold: 0, usd: 40.1 }],
          perpByDex: [{ dex: '', accountValueUsd: 60, unrealizedPnlUsd: -1.5 }],
          note: null,
        },
        { provider: 'venue_b', address: ADDRESS, valueUsd: 1234.5, availableUsd: 10.25, navUsd: 1244.75, note: null },
      ],
      summary: {
        totalNavUsd: 1344.85,
        totalValueUsd: 1334.6,
        totalAvailableUsd: 50.25,
        providersReporting: 2,
        providersRequested: 2,
      },
    });
  });

  it('is the newest of the earlier ones if the newest acquisitions are too far apart', async () => {
    add('venue_a', 10 * SECOND);
    add('venue_a', 5 * MINUTE, { navUsd: '7', valueUsd: '7' });
    add('venue_a', 2 * HOUR);
    add('venue_b', 5 * MINUTE + 30 * SECOND, { navUsd: '2', valueUsd: null, availableUsd: '2' });
    add('venue_b', 2 * HOUR);
    const head = (await read())!;
    expect([head.asOf, head.dataStatus]).toEqual([iso(NOON_MS - 5 * MINUTE - 30 * SECOND), 'cached_fresh']);
    expect(head.summary).toMatchObject({ totalNavUsd: 9, totalValueUsd: 7, totalAvailableUsd: 42 });
    expect(head.slices[0]!.perpByDex).toEqual([{ dex: '', accountValueUsd: 60, unrealizedPnlUsd: -1.5 }]);
  });

  it('leaves out acquisitions without a value', async () => {
    add('venue_a', 10 * SECOND, { navUsd: null, valueUsd: null, unpriced: 'PURR' });
    add('venue_a', 3 * MINUTE);
    add('venue_b', 3 * MINUTE);
    expect((await read())!.asOf).toBe(iso(NOON_MS - 3 * MINUTE));
  });

  it('changes its id with its acquisitions only', async () => {
    add('venue_b', 3 * MINUTE);
    const first = (await read([BOTH[1]]))!.checkpointId;
    expect((await read([BOTH[1]], NOON_MS + MINUTE))!.checkpointId).toBe(first);
    add('venue_b', 2 * MINUTE);
    expect((await read([BOTH[1]]))!.checkpointId).not.toBe(first);
  });

  it('is null without a part, for an unknown account, and after 24 hours', async () => {
    expect(await read()).toBeNull();
    add('venue_a', SECOND);
    expect(await read()).toBeNull();
    expect(await read([BOTH[0]], NOON_MS + 24 * HOUR - SECOND)).toMatchObject({ dataStatus: 'cached_stale' });
    expect(await read([BOTH[0]], NOON_MS + 24 * HOUR)).toBeNull();
  });

  it('is never made of a sum without one of the venues', async () => {
    add('venue_a', 10 * SECOND);
    add('venue_b', 2 * MINUTE);
    expect(await read()).toBeNull();
  });
});
