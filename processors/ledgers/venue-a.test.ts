import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readable, readableNaive } from '#schemas/domain/ledger/ledger.fixture';
import { naiveLedger } from '#schemas/domain/ledger/naive-ledger.fixture';
import { aMarket, aResolution } from '#schemas/testing/records.fixture';
import { accountFillTopic, fillLoadTopic, subscribedFillTopic, type VenueAFill } from '#schemas/topics/account-fills';
import { type BuilderDay, type BuilderFill, builderDayTopic, builderFillTopic } from '#schemas/topics/builder-exports';
import { clockTopic } from '#schemas/topics/control';
import { ledgerEventTopic } from '#schemas/topics/ledgers';
import { nodeFillTopic } from '#schemas/topics/node-fills';
import { marketTopics, tradeTopics } from '#schemas/topics/normalised';
import { resolutionTopics } from '#schemas/topics/oracle';
import { fillId } from '#schemas/venues/venue-a/fills';
import { eventOfFill } from './fill-of-account.ts';
import { createLedgersProbe, MAKER, OPERATOR, TAKER } from './ledgers.fixture.ts';
import { coinFill } from './venue-a-fills.fixture.ts';

const ACCOUNT = `venue_a:${TAKER}`;

function bound() {
  const probe = createLedgersProbe();
  probe.bind(OPERATOR, 'wal_t', TAKER, 'venue_a');
  return probe;
}

/** A probe with an account whose history is loaded. */
function loaded(...fills: VenueAFill[]) {
  const probe = bound();
  probe.page('twaps', 0, []);
  probe.page('orders', 0, fills);
  return probe;
}

const sale = (time: number, fields: Partial<VenueAFill> = {}) =>
  coinFill(time, { side: 'sell', dir: 'Close Long', startPosition: '1', price: '110', ...fields });

describe('the fills of an account of venue_a', () => {
  it('are applied in order once both lists are known, however they arrive, and listed once each', () => {
    const probe = bound();
    expect(probe.fillLoad()).toMatchObject({ account: ACCOUNT, user: TAKER, loadedAt: null, ordersFrom: 0 });
    const last = sale(9, { startPosition: '2' });
    probe.page('orders', 0, [coinFill(1), last], true);
    expect(probe.rows()).toEqual([]);
    probe.driver.restart();
    probe.page('twaps', 0, [coinFill(5, { startPosition: '1', price: '130' })]);
    expect(probe.rows()).toHaveLength(2);
    expect(probe.fillLoad()).toMatchObject({ loadedAt: null, ordersFrom: 9, twapsFrom: 5 });
    probe.page('orders', 9, [last]);
    expect(probe.fillLoad()).toMatchObject({
      loadedAt: 10_000_009,
      ordersCompleteAt: 10_000_009,
      twapsCompleteAt: 10_000_000,
    });
    expect(probe.rows()).toEqual([
      'taker venue_a_perp:BTC:1:1 fill BTC: 1 at 100, realized 0, notional 100, fee 0.1',
      'taker venue_a_perp:BTC:5:5 fill BTC: 1 at 130, realized 0, notional 130, fee 0.1',
      'taker venue_a_perp:BTC:9:9 fill BTC: -1 at 110, realized 10, notional 110, fee 0.1, closes 1 of venue_a_perp:BTC:1:1',
    ]);
    const listed = probe.driver.emittedTo(accountFillTopic);
    expect(listed.map(({ id, account, ledger }) => [id, account, ledger])).toEqual(
      [1, 5, 9].map((at) => [`venue_a_perp:BTC:${at}:${at}`, ACCOUNT, 1_000]),
    );
  });

  it('of which the venue may have more at one time than it returns leave a dead letter, also after a restart only one', () => {
    const probe = bound();
    probe.page('orders', 0, [coinFill(1, { tid: 1 }), coinFill(1, { tid: 2 })], true);
    expect(probe.fillLoad()).toMatchObject({ ordersFrom: 2, skippedAt: 1 });
    probe.driver.restart();
    probe.page('orders', 2, [coinFill(3), coinFill(4)], true);
    expect(probe.fillLoad()).toMatchObject({ ordersFrom: 4, skippedAt: 1 });
    expect(probe.driver.deadLetters.map(({ reason }) => reason)).toEqual(['too_many_fills']);
  });

  it('that arrive again change nothing', () => {
    const probe = loaded(coinFill(1));
    const before = probe.driver.outputs.length;
    probe.page('orders', 1, [coinFill(1)]);
    const after = probe.driver.outputs.slice(before);
    expect(after.map(({ topic }) => topic)).toEqual([fillLoadTopic.name]);
  });

  it('of accounts that are not bound on venue_a change nothing', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    const before = probe.driver.outputs.length;
    probe.page('orders', 0, [coinFill(1)]);
    expect(probe.driver.outputs).toHaveLength(before);
  });

  it('older than 32 days are folded while they are loaded, and never refused', () => {
    const probe = bound();
    probe.day(400);
    probe.page('orders', 0, [coinFill(1), coinFill(2, { startPosition: '1' })], true);
    probe.page('twaps', 0, []);
    probe.day(401);
    probe.page('orders', 2, [coinFill(2, { startPosition: '1' }), sale(3, { startPosition: '2' })]);
    expect(probe.rows().map((row) => row.includes('partial'))).toEqual([false, false, false]);
    expect(probe.books()).toEqual(['taker BTC: 1, known 1 for 100, average 100']);
  });

  it('pay fees in USD where they are in a quote token, at the price of the fill where in the bought token', () => {
    const spot = { coin: '@107', dir: 'Buy', price: '8', feeToken: 'HYPE', fee: '0.25' };
    const probe = loaded(
      coinFill(1, spot),
      coinFill(2, { feeToken: 'X' }),
      coinFill(3, { feeToken: 'USDH', startPosition: '1' }),
    );
    expect(probe.rows()).toEqual([
      'taker venue_a_perp:@107:1:1 fill @107: 0.75 at 8, realized 0, notional 8, fee 2',
      'taker venue_a_perp:BTC:2:2 fill BTC: 1 at 100, realized 0, notional 100, fee null',
      'taker venue_a_perp:BTC:3:3 fill BTC: 1 at 100, realized 0, notional 100, fee 0.1',
    ]);
  });

  it('make the book partial where the position moved unseen', () => {
    const probe = loaded(coinFill(1, { startPosition: '3' }));
    expect(probe.rows()).toEqual([
      'taker venue_a_perp:BTC:1:1 unseen BTC: 3 at null, realized 0, notional 0, fee 0, partial',
      'taker venue_a_perp:BTC:1:1 fill BTC: 1 at 100, realized 0, notional 100, fee 0.1',
    ]);
  });

  it('state by how much they changed what is open, and whose lot the rounding of the venue enlarged', () => {
    const probe = loaded(
      coinFill(1),
      coinFill(2, { startPosition: '1.000001' }),
      sale(3, { startPosition: '2.000001' }),
    );
    const changes = probe.driver
      .emittedTo(ledgerEventTopic)
      .map(({ kind, enlarged, longQty, knownQty, knownCost }) => [kind, enlarged, longQty, knownQty, knownCost]);
    expect(changes).toEqual([
      ['fill', null, '1', '1', '100'],
      ['unseen', 'venue_a_perp:BTC:1:1', '0.000001', '0.000001', '0.0001'],
      ['fill', null, '1', '1', '100'],
      ['fill', null, '-1', '-1', '-100'],
    ]);
  });

  it('get the builder that a node names, also later, and no source removes it', () => {
    const builder = `0x${'0b'.repeat(20)}`;
    const probe = loaded(coinFill(1, { builderFee: '0.05' }));
    const wire = { coin: 'BTC', px: '100', sz: '1', side: 'B', time: 1, startPosition: '0', dir: 'Open Long' };
    const rest = { closedPnl: '0', hash: '0x1', oid: 1, crossed: true, fee: '0.1', tid: 1, feeToken: 'USDC' };
    const fill = JSON.stringify({ ...wire, ...rest, builderFee: '0.05', builder });
    const node = { user: TAKER, coin: 'BTC', time: 1, tid: 1, place: 0, fill, receivedAt: 11_000_000 };
    probe.driver.feed(nodeFillTopic, node);
    probe.driver.feed(nodeFillTopic, { ...node, user: MAKER });
    expect(probe.books()).toEqual([`taker BTC of ${builder}: 1, known 1 for 100, average 100`]);
    probe.page('orders', 0, [coinFill(1, { builderFee: '0.05' })]);
    expect(probe.books()).toHaveLength(1);
    const listed = probe.driver.emittedTo(accountFillTopic).map((row) => [row.builder, row.receivedAt]);
    expect(listed).toEqual([
      [null, 10_000_000],
      [builder, 10_000_000],
    ]);
  });
});

describe('the fills of a subscription', () => {
  it('count at once, and once, however often a new connection and pages repeat them', () => {
    const probe = loaded(coinFill(1));
    const newer = [coinFill(30_000_000, { startPosition: '1' }), sale(30_000_000, { tid: 7, startPosition: '2' })];
    probe.subscribed(newer);
    const rows = probe.rows();
    expect(rows).toHaveLength(3);
    probe.driver.restart();
    const listed = probe.driver.emittedTo(accountFillTopic).length;
    probe.subscribed([...newer.toReversed(), coinFill(1)], 40_000_000);
    probe.page('orders', 1, [coinFill(1), ...newer]);
    expect([probe.rows(), probe.driver.emittedTo(accountFillTopic).length]).toEqual([rows, listed]);
  });

  it('wait for the pages of a load, and the lists need not repeat them', () => {
    const probe = bound();
    probe.subscribed([coinFill(5, { startPosition: '1' }), coinFill(1)]);
    expect(probe.rows()).toEqual([]);
    probe.page('twaps', 0, []);
    probe.page('orders', 0, [coinFill(1)]);
    expect(probe.rows().map((row) => row.split(',')[0])).toEqual([
      'taker venue_a_perp:BTC:1:1 fill BTC: 1 at 100',
      'taker venue_a_perp:BTC:5:5 fill BTC: 1 at 100',
    ]);
  });

  it('are not refused where they are folded, and change nothing of other accounts', () => {
    const probe = loaded(coinFill(1));
    probe.day(400);
    const before = probe.driver.outputs.length;
    probe.subscribed([coinFill(1), coinFill(2)], 400 * 86_400_000);
    probe.driver.feed(subscribedFillTopic, { user: MAKER, receivedAt: 1, fills: [coinFill(3)] });
    expect(probe.driver.outputs).toHaveLength(before);
  });

  it('are no longer missing', () => {
    const probe = loaded(coinFill(1));
    const trade = { ...probe.trade(10), provider: 'venue_a_perp', instrument: 'BTC', orders: null } as const;
    const id = 'venue_a_perp:BTC:20000011:11';
    probe.driver.feed(tradeTopics.venue_a, { ...trade, id, ts: 20_000_011, receivedAt: 20_000_000 });
    expect(probe.fillLoad()).toMatchObject({ missingFrom: 20_000_011 });
    probe.subscribed([coinFill(20_000_011, { tid: 11, startPosition: '1' })]);
    expect(probe.fillLoad()).toMatchObject({ missingFrom: null });
  });
});

describe('the files of registered builders', () => {
  const builder = `0x${'0b'.repeat(20)}`;
  const FILE_AT = 20_000_000;
  const row = (place: number, fields: Partial<BuilderFill> = {}): BuilderFill => {
    const file = { builder, day: 0, fileAt: FILE_AT, place, builderFee: '0.05' };
    return { ...file, user: TAKER, coin: 'BTC', time: 0, side: 'buy', price: '100', qty: '1', ...fields };
  };
  const day = (rows: number, fileAt = FILE_AT): BuilderDay => {
    return { builder, day: 0, fileAt, hasFile: true, rows, etag: null, sha256: 'x' };
  };
  const position = { receivedAt: FILE_AT };
  const namedBook = `taker BTC of ${builder}: 1, known 1 for 100, average 100`;
  const unnamedBook = 'taker BTC: 1, known 1 for 100, average 100';

  it('name the builder of a fill once all of their rows have arrived, in any order', () => {
    for (const isDayFirst of [true, false]) {
      const probe = loaded(coinFill(1, { builderFee: '0.05' }));
      if (isDayFirst) probe.driver.feed(builderDayTopic, day(2), position);
      probe.driver.feed(builderFillTopic, row(0), position);
      probe.driver.restart();
      if (!isDayFirst) probe.driver.feed(builderDayTopic, day(2), position);
      expect(probe.books()).toEqual([unnamedBook]);
      probe.driver.feed(builderFillTopic, row(1, { user: MAKER }), position);
      expect(probe.books()).toEqual([namedBook]);
      expect(probe.driver.emittedTo(accountFillTopic).at(-1)).toMatchObject({ builder, receivedAt: 10_000_000 });
    }
  });

  it('name a fill that arrives later, until a later file lacks its row', () => {
    const probe = loaded();
    probe.driver.feed(builderFillTopic, row(0), position);
    probe.driver.feed(builderDayTopic, day(1), position);
    probe.page('orders', 0, [coinFill(1, { builderFee: '0.05' })]);
    expect(probe.books()).toEqual([namedBook]);
    // Nothing is replaced before all rows of the later file have arrived.
    const later = FILE_AT + 1_000;
    probe.driver.feed(builderDayTopic, day(1, later), { receivedAt: later });
    expect(probe.books()).toEqual([namedBook]);
    probe.driver.restart();
    probe.driver.feed(builderFillTopic, row(0, { fileAt: later, coin: 'ETH' }), { receivedAt: later });
    expect(probe.books()).toEqual([unnamedBook]);
    expect(probe.driver.emittedTo(accountFillTopic).at(-1)).toMatchObject({ builder: null, receivedAt: 10_000_000 });
    // What the later file replaced names nothing any more.
    for (const place of [0, 1]) probe.driver.feed(builderFillTopic, row(place), position);
    probe.driver.feed(builderDayTopic, day(2), position);
    expect(probe.books()).toEqual([unnamedBook]);
  });

  it('name as many equal fills as a later file still has rows, and none without rows', () => {
    const second = coinFill(2, { builderFee: '0.05', startPosition: '1' });
    const probe = loaded(coinFill(1, { builderFee: '0.05' }), second);
    const file = (fileAt: number, rows: number) => {
      for (let place = 0; place < rows; place += 1)
        probe.driver.feed(builderFillTopic, row(place, { fileAt }), { receivedAt: fileAt });
      probe.driver.feed(builderDayTopic, day(rows, fileAt), { receivedAt: fileAt });
    };
    file(FILE_AT, 2);
    expect(probe.books()).toHaveLength(1);
    file(FILE_AT + 1, 1);
    expect(probe.books()).toEqual([namedBook, unnamedBook]);
    file(FILE_AT + 2, 0);
    expect(probe.books()).toEqual(['taker BTC: 2, known 2 for 200, average 100']);
  });

  it('name as many equal fills of a second as they have equal rows', () => {
    const second = coinFill(2, { builderFee: '0.05', startPosition: '1' });
    const probe = loaded(coinFill(1, { builderFee: '0.05' }), second);
    for (const place of [0, 1]) probe.driver.feed(builderFillTopic, row(place), position);
    probe.driver.feed(builderDayTopic, day(2), position);
    expect(probe.books()).toEqual([`taker BTC of ${builder}: 2, known 2 for 200, average 100`]);
  });

  it('name no fill that arrives before all of their rows', () => {
    const probe = loaded();
    probe.driver.feed(builderFillTopic, row(0), position);
    probe.driver.feed(builderDayTopic, day(2), position);
    probe.page('orders', 0, [coinFill(1, { builderFee: '0.05' })]);
    expect(probe.books()).toEqual([unnamedBook]);
  });

  it('are forgotten with the events that they can concern', () => {
    const probe = loaded();
    probe.driver.feed(builderFillTopic, row(0), position);
    probe.driver.feed(builderDayTopic, day(1), position);
    const clock = (days: number) => ({ receivedAt: days * 86_400_000, tick: true, hour: true, day: true });
    probe.driver.feed(clockTopic, clock(32));
    expect(probe.driver.state.builderFiles.size).toBe(1);
    probe.driver.feed(clockTopic, clock(34));
    expect(probe.driver.state.builderFiles.size).toBe(0);
  });
});

describe('a fill of venue_a that several sources state', () => {
  const builder = `0x${'0b'.repeat(20)}`;
  const WIRE = { side: 'B', time: 1, closedPnl: '0', hash: '0x1', oid: 1, crossed: true, tid: 1 };
  const BOUGHT = { coin: '@230', px: '2', sz: '10', startPosition: '0', dir: 'Buy', fee: '0.5', feeToken: 'USDH' };
  const nodeFill = (probe: ReturnType<typeof bound>, fields: object = {}) => {
    const fill = JSON.stringify({ ...WIRE, ...BOUGHT, ...fields });
    const key = { user: TAKER, coin: '@230', time: 1, tid: 1, place: 0 };
    probe.driver.feed(nodeFillTopic, { ...key, fill, receivedAt: 11_000_000 });
  };
  const pair = (probe: ReturnType<typeof bound>) => probe.pair('@230', 'USDH');
  const listed = (fields: Partial<VenueAFill> = {}) =>
    coinFill(1, { coin: '@230', price: '2', qty: '10', dir: 'Buy', fee: '0.5', feeToken: 'USDH', ...fields });
  const page = (probe: ReturnType<typeof bound>) =>
    probe.page('orders', 0, [listed({ builderFee: '0.1', liquidatedUser: TAKER, liquidationMark: '2' })]);

  it('ends the same in whatever order they and the list of pairs arrive, and its ledger with it', () => {
    const steps = [pair, page, (probe: ReturnType<typeof bound>) => nodeFill(probe, { builder })];
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ];
    for (const order of orders) {
      const probe = loaded();
      for (const at of order) {
        probe.driver.restart();
        steps[at]!(probe);
      }
      expect(probe.rows(), order.join()).toEqual([
        `taker venue_a_perp:@230:1:1 fill @230 of ${builder}: 9.5 at 2, realized 0, notional 20, fee 1`,
      ]);
      expect(probe.books(), order.join()).toEqual([`taker @230 of ${builder}: 9.5, known 9.5 for 19, average 2`]);
      expect(probe.driver.emittedTo(accountFillTopic).at(-1), order.join()).toMatchObject({
        builder,
        builderFee: '0.1',
        isFeeTraded: true,
        liquidatedUser: TAKER,
        liquidationMark: '2',
      });
    }
  });

  it('is applied again with those after it where the own list of the account states other figures', () => {
    const probe = loaded();
    pair(probe);
    nodeFill(probe, { px: '3' });
    probe.page('orders', 0, [listed(), listed({ time: 2, tid: 2, side: 'sell', startPosition: '9.5', fee: '0' })]);
    expect(probe.rows()).toEqual([
      'taker venue_a_perp:@230:1:1 fill @230: 9.5 at 2, realized 0, notional 20, fee 1',
      'taker venue_a_perp:@230:2:2 fill @230: -10 at 2, realized 0, notional 20, fee 0, closes 9.5 of venue_a_perp:@230:1:1',
    ]);
  });

  it('that is folded does not change, and is not late', () => {
    const probe = loaded(listed());
    probe.day(40);
    nodeFill(probe, { builder });
    expect(probe.rows()).toHaveLength(1);
  });
});

describe('an account of venue_a', () => {
  it('has a ledger and a load until its last binding ends, beside one of venue_b with the same address', () => {
    const probe = bound();
    probe.bind(OPERATOR, 'wal_b', TAKER);
    expect(probe.started()).toEqual([ACCOUNT, `venue_b:${TAKER}`].map((account) => ({ account, ledger: 1_000 })));
    probe.page('twaps', 0, []);
    probe.page('orders', 0, [coinFill(1)]);
    probe.unbind(OPERATOR, 'wal_t');
    expect(probe.fillLoad()).toBeNull();
    expect(probe.started()).toEqual([{ account: `venue_b:${TAKER}`, ledger: 1_000 }]);
    expect(probe.books()).toEqual([]);
    probe.bind(OPERATOR, 'wal_t', TAKER, 'venue_a', 20_000_000);
    expect(probe.fillLoad()).toMatchObject({ ledger: 20_000_000, loadedAt: null, ordersFrom: 0 });
  });

  it('is not followed because of a sandbox binding', () => {
    const probe = createLedgersProbe();
    const secret = { algorithm: 'scrypt', N: 2, r: 1, p: 1, salt: '', hash: '' };
    const key = { keyId: 'sandboxed', name: 's', userId: 'u', scopes: ['admin'], sandbox: true, secret };
    probe.command('key.create', key, OPERATOR);
    probe.bind({ ...OPERATOR, keyId: 'sandboxed', userId: 'u', sandbox: true }, 'wal_s', TAKER, 'venue_a');
    expect(probe.driver.state.control.wallets.size).toBe(1);
    expect(probe.started()).toEqual([]);
    expect(probe.fillLoad()).toBeUndefined();
  });

  it('states the oldest trade that names it and is missing among its fills', () => {
    const probe = loaded(coinFill(1));
    const trade = { ...probe.trade(10), provider: 'venue_a_perp', instrument: 'BTC', orders: null } as const;
    const sent = () => probe.driver.emittedTo(fillLoadTopic).length;
    const traded = (time: number, receivedAt: number, fields = {}) =>
      probe.driver.feed(tradeTopics.venue_a, {
        ...{ ...trade, id: `venue_a_perp:BTC:${time}:${time}`, ts: time, receivedAt, ...fields },
      });
    const before = sent();
    traded(11, 11_000_000);
    traded(12, 11_000_001);
    expect(sent()).toBe(before + 1);
    expect(probe.fillLoad()).toMatchObject({ tradedAt: 11_000_000, missingFrom: 11 });
    traded(13, 11_000_002, { taker: '0x9', maker: null });
    expect(sent()).toBe(before + 1);
    probe.page('orders', 1, [coinFill(1), coinFill(11, { startPosition: '1' })]);
    expect(probe.fillLoad()).toMatchObject({ tradedAt: 11_000_001, missingFrom: 12 });
    // A trade whose fill came first is not missing.
    traded(11, 11_000_003);
    probe.page('orders', 11, [coinFill(12, { startPosition: '2' })]);
    expect(probe.fillLoad()).toMatchObject({ missingFrom: null });
    const after = sent();
    traded(12, 11_000_004);
    expect(sent()).toBe(after);
    traded(12, 11_020_000);
    expect(probe.fillLoad()).toMatchObject({ tradedAt: 11_020_000, missingFrom: null });
  });
});

describe('an outcome of venue_a', () => {
  const outcome = (time: number) =>
    coinFill(time, { provider: 'venue_a_outcome', coin: '#10', price: '0.4', qty: '3', dir: 'Buy', fee: '0' });
  const closing = (time: number) =>
    coinFill(time, { ...outcome(time), side: 'sell', price: '1', startPosition: '3', dir: 'Settlement' });
  const settle = (probe: ReturnType<typeof bound>, resolvedAt: number) => {
    probe.driver.feed(marketTopics.venue_a, aMarket({ marketId: '#10', instruments: ['#10', '#11'] }));
    const place = { blockNumber: null, blockHash: null, logIndex: null };
    const resolution = { id: 'r', marketId: '#10', payouts: ['1', '0'], resolvedAt, receivedAt: resolvedAt, ...place };
    probe.driver.feed(resolutionTopics.venue_a, aResolution({ ...resolution, provider: 'venue_a_outcome' }));
  };
  const realized = (probe: ReturnType<typeof bound>) =>
    probe.rows().map((row) => /(\w+) #10: (\S+) at.*realized (\S+), notional/.exec(row)?.slice(1).join(' '));

  it('closes at its payout, and the fill of its settlement changes nothing', () => {
    const probe = loaded(outcome(1));
    settle(probe, 11_000_000);
    const before = probe.rows();
    expect(realized(probe)).toEqual(['fill 3 0', 'settle -3 1.8']);
    probe.page('orders', 1, [outcome(1), closing(11_000_001)]);
    expect(probe.rows()).toEqual(before);
    expect(probe.driver.emittedTo(accountFillTopic).map(({ dir }) => dir)).toEqual(['Buy', 'Settlement']);
  });

  it('closes by the fill of its settlement where its outcome is unknown or known later', () => {
    const probe = loaded(outcome(1), closing(2));
    expect(realized(probe)).toEqual(['fill 3 0', 'settle -3 1.8']);
    expect(probe.books()).toEqual([]);
    settle(probe, 11_000_000);
    expect(realized(probe)).toEqual(['fill 3 0', 'settle -3 1.8']);
  });

  it('is settled at once where its outcome was known before its fills', () => {
    const probe = bound();
    settle(probe, 5);
    probe.page('twaps', 0, []);
    probe.page('orders', 0, [outcome(1)]);
    expect(realized(probe)).toEqual(['fill 3 0', 'settle -3 1.8']);
  });
});

const RECORDED = join(process.env.PARALLAX_SHARED ?? '../shared', 'data/venue_a/fills.2-accounts.2024-09_2025-05.csv');

describe.skipIf(!existsSync(RECORDED))('recorded fills (skipped: no data at PARALLAX_SHARED)', () => {
  it('that arrive in pages whose edges repeat give the ledger of a naive calculation', () => {
    const [header, ...lines] = readFileSync(RECORDED, 'utf8').trim().split('\n');
    const names = header!.split(',');
    const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])));
    for (const account of new Set(rows.map(({ Account }) => Account!))) {
      const fills = rows.filter(({ Account }) => Account === account).map(recordedFill);
      const probe = bound();
      probe.page('twaps', 0, []);
      for (let from = 0; from < fills.length; from += 100) {
        const page = fills.slice(Math.max(0, from - 1), from + 100);
        probe.page('orders', page[0]!.time * (from === 0 ? 0 : 1), page, from + 100 < fills.length);
      }
      expect(probe.fillLoad()?.loadedAt).toBeGreaterThan(0);
      const expected = readableNaive(naiveLedger(fills.map((fill) => eventOfFill(asTraded(fill), 0))));
      expect(readable(probe.driver.state.accounts.get(ACCOUNT)!.ledger).lots).toEqual(expected.lots);
      expect(new Set(probe.driver.emittedTo(accountFillTopic).map(({ id }) => id))).toEqual(new Set(fills.map(fillId)));
    }
  });
});

const asTraded = (fill: VenueAFill): VenueAFill => ({ ...fill, isFeeTraded: fill.feeToken === 'HYPE' });

/** The nth recorded fill; the recording rounds times and ids. */
function recordedFill(row: Readonly<Record<string, string | undefined>>, at: number): VenueAFill {
  const coin = row.Coin!;
  const side = row.Side === 'SELL' ? 'sell' : 'buy';
  return coinFill(at + 1, {
    coin,
    side,
    price: row['Execution Price']!,
    qty: row['Size Tokens']!,
    startPosition: row['Start Position']!,
    dir: row.Direction!,
    fee: row.Fee!,
    // The recording does not name the token of the fee.
    feeToken: coin.startsWith('@') && side === 'buy' ? 'HYPE' : 'USDC',
  });
}
