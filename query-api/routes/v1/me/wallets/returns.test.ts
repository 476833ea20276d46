import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import type { Store } from '#infra/store/store';
import { accountFlowsTable } from '#schemas/tables/account-flows';
import { flowCoverageTable } from '#schemas/tables/flow-coverage';
import { navSnapshotsTable } from '#schemas/tables/nav-snapshots';
import type { AccountFlow } from '#schemas/topics/account-flows';
import { type AccountValue, accountValueTopic } from '#schemas/topics/accounts';
import { ledgerTopic } from '#schemas/topics/ledgers';
import { snapshotHeadTopic } from '#schemas/topics/nav-snapshots';
import { insertRows } from '../../../../testing/insert-rows.fixture.ts';
import { openTestStore } from '../../../../testing/open-test-store.fixture.ts';
import { bindWallet } from '../../../../testing/pnl-service.fixture.ts';
import { applyRecord } from '../../../../testing/records.fixture.ts';
import { requestsAnsweredBy } from '../../../../testing/requests.fixture.ts';
import { openTestService, type TestService } from '../../../../testing/test-service.fixture.ts';
import { VIEWS } from '../../../../views/views.ts';
import { getStats } from '../get-stats.ts';
import { getWalletNavCurve } from './get-nav-curve.ts';
import { getWalletRoi } from './get-roi.ts';

const HOUR = 3_600_000;
const LEDGER = 1_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR;
const hourOf = (hoursAgo: number) => NOW - hoursAgo * HOUR;
const iso = (time: number) => new Date(time).toISOString();
/** Snapshots and flows; two snapshots and no flows known; one snapshot; nothing; flows of the chain; flows up to a mark. */
const [A, UNLOADED, YOUNG, EMPTY, FOLLOWED, LATE] = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(
  (byte) => `0x${byte.repeat(20)}`,
) as [string, string, string, string, string, string];

let store: Store;
let service: TestService;
let closeStore: () => Promise<void>;
const ids: Record<string, string> = {};
const sent: { kind: string; params: object }[] = [];
let answer: (kind: string, params: { through: number }) => unknown;
/** Time of the newest followed block of venue_b, whose flows are in the table. */
let followedThrough: () => number | null;

const snapshot = (account: string, hoursAgo: number, navUsd: string, ledger = LEDGER) => {
  const hour = hourOf(hoursAgo);
  const figures = { navUsd, valueUsd: navUsd, availableUsd: null, unrealizedPnlUsd: null };
  return { account, ledger, hour, asOf: hour + 1_000, receivedAt: hour + 1_000, ...figures };
};
const flow = (account: string, id: string, ts: number, usd: string | null, fields: Partial<AccountFlow> = {}) => {
  const problem = usd === null ? ('flow_unpriced' as const) : null;
  const base = {
    account,
    ledger: LEDGER,
    id,
    state: 'applied' as const,
    receivedAt: 1,
    ts,
    kind: 'deposit',
    usd,
    problem,
  };
  return { ...base, txHash: `0x${id}`, ...fields };
};
const coverage = (account: string, knownThrough: number | null) => ({
  account,
  ledger: LEDGER,
  receivedAt: 1,
  knownFrom: null,
  knownThrough,
  requestFrom: 0,
  wantedPrices: [],
});
const value = (account: string, navUsd: string, asOf = Date.now()) => {
  const nothing = { source: null, unpriced: null, mode: null, failure: null, valueUsd: null, availableUsd: null };
  const lists = { unrealizedPnlUsd: null, buckets: [], spotBalances: [], perpByDex: [] };
  const record: AccountValue = { account, receivedAt: Date.now(), asOf, navUsd, ...nothing, ...lists };
  applyRecord(VIEWS.accountValues, service.views.accountValues, accountValueTopic, account, record);
};
const begin = (account: string) =>
  applyRecord(VIEWS.ledgers, service.views.ledgers, ledgerTopic, account, { account, ledger: LEDGER });

beforeAll(async () => {
  ({ store, close: closeStore } = await openTestStore());
  const requests = requestsAnsweredBy((kind, params: { through: number }) => {
    sent.push({ kind, params });
    return answer(kind, params);
  });
  service = await openTestService({ store, requests });
  Object.assign(service.views.freshness, { followedThrough: async () => followedThrough() });
  for (const [provider, address] of [
    ['venue_a', A],
    ['venue_a', UNLOADED],
    ['venue_a', YOUNG],
    ['venue_b', YOUNG],
    ['venue_b', EMPTY],
    ['venue_b', FOLLOWED],
    ['venue_a', LATE],
  ] as const) {
    ids[`${provider}:${address}`] = await bindWallet(service, address, service.admin, provider);
    begin(`${provider}:${address}`);
  }
  const [a, unloaded, young] = [`venue_a:${A}`, `venue_a:${UNLOADED}`, `venue_a:${YOUNG}`];
  await insertRows(store, navSnapshotsTable, [
    snapshot(a, 50, '90'),
    snapshot(a, 3, '100'),
    snapshot(a, 2, '125'),
    snapshot(a, 1, '130'),
    // Of an earlier ledger of the account.
    snapshot(a, 4, '1', LEDGER - 1),
    snapshot(unloaded, 2, '100'),
    snapshot(unloaded, 1, '110'),
    snapshot(young, 1, '5'),
    snapshot(`venue_b:${FOLLOWED}`, 2, '0'),
    snapshot(`venue_a:${LATE}`, 3, '100'),
    snapshot(`venue_a:${LATE}`, 2, '100'),
    snapshot(`venue_a:${LATE}`, 1, '1107'),
  ]);
  await insertRows(store, accountFlowsTable, [
    flow(a, 'in', hourOf(3) + HOUR / 2, '20'),
    flow(a, 'unpriced', hourOf(40), null),
    flow(a, 'reverted', hourOf(2) + 5_000, '7'),
    flow(a, 'earlier', hourOf(2) + 5_000, '7', { ledger: LEDGER - 1 }),
  ]);
  await insertRows(store, accountFlowsTable, [flow(`venue_b:${FOLLOWED}`, 'came', hourOf(1), '1000')]);
  await insertRows(store, accountFlowsTable, [flow(`venue_a:${LATE}`, 'late', hourOf(1) + 400, '1000')]);
  await insertRows(store, accountFlowsTable, [flow(a, 'reverted', hourOf(2) + 5_000, '7', { state: 'removed' })], 10);
  await insertRows(store, flowCoverageTable, [
    coverage(a, NOW + HOUR),
    coverage(unloaded, 0),
    coverage(`venue_b:${EMPTY}`, null),
    coverage(`venue_b:${FOLLOWED}`, null),
    coverage(`venue_a:${LATE}`, hourOf(1) + 500),
  ]);
});
afterAll(async () => {
  await service.close();
  await closeStore();
});
beforeEach(() => {
  sent.length = 0;
  service.views.accountValues.clear();
  followedThrough = () => NOW + HOUR;
  answer = () => {
    throw new RequestError('late');
  };
});

const get = async (path: string, schema: { parse: (body: unknown) => unknown } | null = null, options = {}) => {
  const got = await service.request('GET', `/v1/me/wallets/${path}`, options);
  if (got.status === 200) schema?.parse(got.body);
  return got;
};
const navCurve = (wallet: string, window = '1D') =>
  get(`${ids[wallet]}/nav-curve?window=${window}`, getWalletNavCurve.response);
const roi = (wallet: string, query: Record<string, string> = {}) =>
  get(`${ids[wallet]}/roi?${new URLSearchParams(query)}`, getWalletRoi.response);
const seconds = (hoursAgo: number) => hourOf(hoursAgo) / 1_000;

describe('GET /v1/me/wallets/{id}/nav-curve', () => {
  it('has the snapshots of the window, with the first value and the flows since then', async () => {
    const { status, headers, body } = await navCurve(`venue_a:${A}`);
    expect(status).toBe(200);
    expect(headers['x-quota-sku']).toBe('api.request');
    expect(body).toEqual({
      walletId: ids[`venue_a:${A}`],
      provider: 'venue_a_perp',
      address: A,
      window: '1D',
      source: 'snapshot',
      points: [
        { t: seconds(3), navUsdc: 100, netDepositsUsdc: 100 },
        { t: seconds(2), navUsdc: 125, netDepositsUsdc: 120 },
        { t: seconds(1), navUsdc: 130, netDepositsUsdc: 120 },
      ],
      asOf: iso(hourOf(1) + 1_000),
    });
    expect((await navCurve(`venue_a:${A}`, 'ALL')).body.points).toEqual([
      { t: seconds(50), navUsdc: 90, netDepositsUsdc: 90 },
      { t: seconds(3), navUsdc: 100, netDepositsUsdc: null },
      { t: seconds(2), navUsdc: 125, netDepositsUsdc: null },
      { t: seconds(1), navUsdc: 130, netDepositsUsdc: null },
    ]);
    expect(sent).toEqual([]);
  });

  it('reads the flows up to the newest snapshot first', async () => {
    const account = `venue_a:${LATE}`;
    const points = async () =>
      (await navCurve(account)).body.points.map((point: { netDepositsUsdc: number }) => point.netDepositsUsdc);
    expect(await points()).toEqual([100, 100, null]);
    const newest = hourOf(1) + 1_000;
    expect(sent).toEqual([{ kind: 'venue_a.account_flows', params: { address: LATE, through: newest } }]);
    answer = async (_, { through }) => {
      await insertRows(store, flowCoverageTable, [coverage(account, through)], 10);
      return { publishedAt: through };
    };
    expect(await points()).toEqual([100, 100, 1_100]);
    await insertRows(store, flowCoverageTable, [coverage(account, hourOf(1) + 500)], 11);
  });

  it('has no points of an account of venue_a with one snapshot', async () => {
    expect((await navCurve(`venue_a:${YOUNG}`)).body).toMatchObject({ source: 'snapshot', points: [], asOf: null });
  });

  it('has the values that the PnL of venue_b implies, and none without a current value', async () => {
    const series = { text: '[{"t":100,"p":2.5},{"t":200,"p":-1.25}]', fetchedAt: NOW };
    answer = (kind) => {
      if (kind === 'venue_b.user-pnl') return series;
      throw new RequestError('late');
    };
    const none = await navCurve(`venue_b:${EMPTY}`);
    expect(none.body).toMatchObject({ source: 'venue_b_user_pnl', points: [], asOf: null });
    value(`venue_b:${EMPTY}`, '50');
    expect((await navCurve(`venue_b:${EMPTY}`)).body).toMatchObject({
      source: 'venue_b_user_pnl',
      points: [
        { t: 100, navUsdc: 53.75, netDepositsUsdc: 53.75 },
        { t: 200, navUsdc: 50, netDepositsUsdc: 53.75 },
      ],
      asOf: iso(NOW),
    });
    answer = () => {
      throw new RequestError('busy');
    };
    expect((await navCurve(`venue_b:${EMPTY}`)).status).toBe(429);
  });

  it('is also returned by address, with a warning for what is left out', async () => {
    const { body } = await get(
      `nav-curve?window=1D&walletAddress=${A}&walletAddress=${EMPTY}&walletAddress=0x${'9'.repeat(40)}`,
    );
    expect(body.window).toBe('1D');
    expect(
      body.wallets.map(({ address, points }: { address: string; points: object[] }) => [address, points.length]),
    ).toEqual([[A, 3]]);
    expect(body.warnings.map(({ code, address }: { code: string; address: string }) => [code, address])).toEqual([
      ['not_found', `0x${'9'.repeat(40)}`],
      ['upstream_unavailable', EMPTY],
    ]);
  });
});

describe('GET /v1/me/wallets/{id}/roi', () => {
  it('is that of the window, by the snapshots at its ends and the flows between them', async () => {
    const window = { from: iso(hourOf(3)), to: iso(hourOf(1)) };
    const { status, body } = await roi(`venue_a:${A}`, window);
    expect(status).toBe(200);
    expect(body).toEqual({
      walletId: ids[`venue_a:${A}`],
      provider: 'venue_a_perp',
      address: A,
      window,
      status: 'ready',
      reason: null,
      startAt: iso(hourOf(3)),
      endAt: iso(hourOf(1)),
      // 10 of 100 and three quarters of 20.
      mwrPct: 10 / 115,
      // Nothing until the flow, then 130 of 120.
      twrPct: expect.closeTo(1 / 12, 12),
      simpleRoiPct: expect.closeTo(10 / 120, 12),
      netPnlUsd: 10,
      netDepositsUsd: 20,
      startNavUsd: 100,
      endNavUsd: 130,
      flows: [{ ts: iso(hourOf(3) + HOUR / 2), usd: 20, kind: 'deposit', txHash: '0xin' }],
    });
    expect(sent).toEqual([]);
  });

  it('ends with the current value without `to`', async () => {
    value(`venue_a:${A}`, '140');
    const { body } = await roi(`venue_a:${A}`, { from: iso(hourOf(2)) });
    expect(body).toMatchObject({ status: 'ready', netPnlUsd: 15, netDepositsUsd: 0, startNavUsd: 125, endNavUsd: 140 });
    expect([body.window.to, body.mwrPct, body.twrPct]).toEqual([null, 0.12, 0.12]);
  });

  it('reads the flows first where they are not known up to the end', async () => {
    const account = `venue_a:${UNLOADED}`;
    value(account, '121');
    const unknown = await roi(account, { from: iso(hourOf(1)) });
    expect(unknown.body).toMatchObject({
      status: 'unavailable',
      reason: 'flows_unknown',
      endNavUsd: null,
      flows: null,
    });
    expect(sent.map(({ kind }) => kind)).toEqual(['venue_a.account_flows']);
    answer = async (_, { through }) => {
      await insertRows(store, flowCoverageTable, [coverage(account, through)], 20);
      return { publishedAt: through };
    };
    expect((await roi(account, { from: iso(hourOf(1)) })).body).toMatchObject({ status: 'ready', simpleRoiPct: 0.1 });
  });

  it.each([
    ['not_anchored', { from: iso(hourOf(30)), to: iso(hourOf(1)) }],
    ['flow_unpriced', { from: iso(hourOf(49)), to: iso(hourOf(1)) }],
    ['no_value', {}],
  ])('is unavailable with status 200: %s', async (reason, query) => {
    const { status, body } = await roi(`venue_a:${A}`, query);
    expect([status, body.status, body.reason]).toEqual([200, 'unavailable', reason]);
    const { walletId, provider, address, window, status: _, reason: __, ...figures } = body;
    expect(new Set(Object.values(figures))).toEqual(new Set([null]));
  });

  it('of venue_b without snapshots is by the finest series that anchors it', async () => {
    value(`venue_b:${EMPTY}`, '50');
    const at = (hoursAgo: number) => hourOf(hoursAgo) / 1_000;
    answer = (kind) => {
      if (kind !== 'venue_b.user-pnl') throw new RequestError('late');
      const { window } = sent.at(-1)!.params as { window?: string };
      const points =
        window === '1D'
          ? [[at(1), 9]]
          : [
              [at(30), 0],
              [at(1), 10],
            ];
      return { text: JSON.stringify(points.map(([t, p]) => ({ t, p }))), fetchedAt: NOW };
    };
    const { body } = await roi(`venue_b:${EMPTY}`, { from: iso(hourOf(29)) });
    expect(body).toMatchObject({ status: 'ready', startAt: iso(hourOf(30)), startNavUsd: 40, endNavUsd: 50 });
    expect(sent).toHaveLength(2);
  });

  describe('of venue_b, whose newest block is older than the value', () => {
    const account = `venue_b:${FOLLOWED}`;
    const from = iso(hourOf(2));

    it('waits for the next block and counts the deposit that it contains', async () => {
      value(account, '1100');
      let reads = 0;
      followedThrough = () => {
        reads += 1;
        return reads < 3 ? NOW - HOUR : Date.now() + 1_000;
      };
      expect((await roi(account, { from })).body).toMatchObject({
        status: 'ready',
        netPnlUsd: 100,
        netDepositsUsd: 1_000,
        endNavUsd: 1_100,
      });
    });

    it('needs no later block for a value of the second of the newest one', async () => {
      const asOf = Date.now();
      value(account, '1100', asOf);
      followedThrough = () => asOf - (asOf % 1_000);
      expect((await roi(account, { from })).body).toMatchObject({ status: 'ready', netPnlUsd: 100 });
    });

    it.each([null, NOW - HOUR])('is unavailable if none comes (%s)', { timeout: 10_000 }, async (through) => {
      value(account, '1100');
      followedThrough = () => through;
      expect((await roi(account, { from })).body).toMatchObject({ status: 'unavailable', reason: 'flows_unknown' });
    });
  });

  it('reads the flows up to the value of the snapshot that anchors the end; without them the snapshot anchors nothing', async () => {
    const account = `venue_a:${LATE}`;
    const window = { from: iso(hourOf(3)), to: iso(hourOf(1)) };
    // 1,000 came in after the mark and is in the snapshot; flows are known up to then, but not up to the snapshot.
    const unknown = await roi(account, window);
    expect(sent).toEqual([{ kind: 'venue_a.account_flows', params: { address: LATE, through: hourOf(1) + 1_000 } }]);
    expect(unknown.body).toMatchObject({ status: 'ready', endAt: iso(hourOf(2)), netPnlUsd: 0 });
    const start = await roi(account, { from: iso(hourOf(1)), to: iso(hourOf(1) + 500) });
    expect(start.body).toMatchObject({ status: 'ready', endAt: iso(hourOf(2)), netDepositsUsd: 1_000, netPnlUsd: 0 });
    answer = async (_, { through }) => {
      await insertRows(store, flowCoverageTable, [coverage(account, through)], 20);
      return { publishedAt: through };
    };
    expect((await roi(account, window)).body).toMatchObject({ status: 'ready', endAt: iso(hourOf(1)), netPnlUsd: 7 });
  });

  it('refuses times that are none or in the wrong order, and wallets of others', async () => {
    expect((await roi(`venue_a:${A}`, { from: 'yesterday' })).body.error.message).toContain('from');
    const reversed = await roi(`venue_a:${A}`, { from: iso(hourOf(1)), to: iso(hourOf(2)) });
    expect([reversed.status, reversed.body.error.code]).toEqual([400, 'validation_failed']);
    const other = await service.organization('Other');
    for (const path of ['roi', 'nav-curve']) {
      const own = await get('wal_none/roi');
      const foreign = await get(`${ids[`venue_a:${A}`]}/${path}`, null, { token: other.token });
      expect([foreign.status, foreign.body.error.code]).toEqual([404, own.body.error.code]);
    }
  });
});

describe('GET /v1/me/stats?roi=true', () => {
  const stats = async (query: Record<string, string>) => {
    const parameters = new URLSearchParams({ roi: 'true', groupBy: 'wallet', ...query });
    const { status, body } = await service.request('GET', `/v1/me/stats?${parameters}`);
    expect(status, JSON.stringify(body)).toBe(200);
    getStats.response.parse(body);
    return body;
  };
  type Rows = { data: { walletId: string; pnlCurve?: unknown }[] };
  const rowOf = ({ data }: Rows, wallet: string) => data.find(({ walletId }) => walletId === ids[wallet]);
  const putHead = (hoursAgo: number, navUsd: string) => {
    const account = `venue_a:${A}`;
    const head = { account, ledger: LEDGER, newest: snapshot(account, hoursAgo, navUsd) };
    applyRecord(VIEWS.snapshotHeads, service.views.snapshotHeads, snapshotHeadTopic, account, head);
  };
  const NO_RETURN = {
    mwrPct: null,
    twrPct: null,
    simpleRoiPct: null,
    netPnlUsd: null,
    netDepositsUsd: null,
    startNavUsd: null,
    endNavUsd: null,
  };

  it('ends with the snapshot, with the curve of the profit since the start', async () => {
    putHead(1, '130');
    const body = await stats({ from: iso(hourOf(3)), include: 'pnlCurve', sort: '-simpleRoiPct' });
    // 100 at the start, 20 came in after half an hour of 7,201 s, 130 at the end.
    expect(rowOf(body, `venue_a:${A}`)).toMatchObject({
      accountValueUsd: 130,
      accountValueAsOf: iso(hourOf(1) + 1_000),
      mwrPct: expect.closeTo(10 / (100 + (20 * 5_401) / 7_201), 12),
      twrPct: expect.closeTo(130 / 120 - 1, 12),
      simpleRoiPct: expect.closeTo(10 / 120, 12),
      netPnlUsd: 10,
      netDepositsUsd: 20,
      startNavUsd: 100,
      endNavUsd: 130,
      pnlCurve: [
        { t: seconds(3), pnl: 0 },
        { t: seconds(2), pnl: 5 },
        { t: seconds(1), pnl: 10 },
        { t: seconds(1) + 1, pnl: 10 },
      ],
    });
    expect(body.data[0].walletId).toBe(ids[`venue_a:${A}`]);
    expect(rowOf(body, `venue_a:${UNLOADED}`)).toMatchObject({ ...NO_RETURN, pnlCurve: null });
    expect(body.applied.sort).toEqual({ field: 'simpleRoiPct', dir: 'desc' });
    expect(sent).toEqual([]);
  });

  it('a newer snapshot ends the window at once; the rest is read once in half a minute', async () => {
    putHead(1, '130');
    const window = { from: iso(hourOf(2)) };
    expect(rowOf(await stats(window), `venue_a:${A}`)).toMatchObject({ endNavUsd: 130, netPnlUsd: 5 });
    putHead(1, '127');
    expect(rowOf(await stats(window), `venue_a:${A}`)).toMatchObject({
      accountValueUsd: 127,
      endNavUsd: 127,
      netPnlUsd: 2,
    });
  });

  it('ends with the live value, of which the whole row is', async () => {
    value(`venue_a:${A}`, '140');
    const body = await stats({ from: iso(hourOf(2)), mode: 'live', sort: 'netPnlUsd' });
    const row = rowOf(body, `venue_a:${A}`);
    expect(row).toMatchObject({ accountValueUsd: 140, startNavUsd: 125, endNavUsd: 140, netPnlUsd: 15 });
    expect(row).not.toHaveProperty('pnlCurve');
  });

  it('of venue_b without snapshots at the start it follows from the PnL of the venue up to the snapshot', async () => {
    const account = `venue_b:${EMPTY}`;
    const head = { account, ledger: LEDGER, newest: snapshot(account, 1, '50') };
    applyRecord(VIEWS.snapshotHeads, service.views.snapshotHeads, snapshotHeadTopic, account, head);
    const points = [
      [5, 0],
      [3, 10],
      [1, 12],
      [0, 40],
    ];
    answer = () => ({ text: JSON.stringify(points.map(([ago, p]) => ({ t: seconds(ago!), p }))), fetchedAt: NOW });
    // 12 of the 50 are profit by then, 10 of it were there at the start: 48.
    expect(rowOf(await stats({ from: iso(hourOf(3)), include: 'pnlCurve' }), account)).toMatchObject({
      startNavUsd: 48,
      endNavUsd: 50,
      netPnlUsd: 2,
      simpleRoiPct: expect.closeTo(2 / 48, 12),
      pnlCurve: [
        { t: seconds(3), pnl: 0 },
        { t: seconds(1), pnl: 2 },
        { t: seconds(1) + 1, pnl: 2 },
      ],
    });
    service.views.snapshotHeads.delete(account);
  });

  it('waits once for the blocks of all accounts of venue_b, however many they are', { timeout: 20_000 }, async () => {
    const { token } = await service.organization('Many');
    // More than are read at once.
    const accounts = await Promise.all(
      Array.from({ length: 20 }, async (_, nth) => {
        const address = `0x${(nth + 16).toString(16).repeat(20)}`;
        await bindWallet(service, address, token, 'venue_b');
        begin(`venue_b:${address}`);
        return `venue_b:${address}`;
      }),
    );
    await insertRows(
      store,
      navSnapshotsTable,
      accounts.map((account) => snapshot(account, 2, '100')),
    );
    await insertRows(
      store,
      flowCoverageTable,
      accounts.map((account) => coverage(account, null)),
    );
    for (const account of accounts) value(account, '110');
    let looks = 0;
    followedThrough = () => {
      looks += 1;
      return NOW - HOUR;
    };
    const parameters = new URLSearchParams({ roi: 'true', groupBy: 'wallet', mode: 'live', from: iso(hourOf(2)) });
    const { body } = await service.request('GET', `/v1/me/stats?${parameters}`, { token });
    expect(body.data.map(({ netPnlUsd }: { netPnlUsd: unknown }) => netPnlUsd)).toEqual(accounts.map(() => null));
    // One every 100 ms.
    expect(looks).toBeLessThan(70);
  });

  it('has the figures of the route of one wallet for a window that has ended', async () => {
    const window = { from: iso(hourOf(3)), to: iso(hourOf(1)) };
    const { body: one } = await roi(`venue_a:${A}`, window);
    expect(one.status).toBe('ready');
    for (const figure of Object.keys(NO_RETURN))
      expect(rowOf(await stats(window), `venue_a:${A}`)).toMatchObject({ [figure]: one[figure] });
  });
});
