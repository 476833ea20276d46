import { describe, expect, it } from 'vitest';
import { ledgerEventTopic, openBookTopic } from '#schemas/topics/ledgers';
import { createLedgersProbe, MAKER, OPERATOR, TAKER } from './ledgers.fixture.ts';

const DAY_BLOCKS = 86_400;

/** A probe in which the maker and the taker are bound. */
function bothBound() {
  const probe = createLedgersProbe();
  probe.bind(OPERATOR, 'wal_m', MAKER);
  probe.bind(OPERATOR, 'wal_t', TAKER);
  return probe;
}

describe('fills of followed accounts', () => {
  it('are applied to the ledger of each account as that account sees them', () => {
    const probe = bothBound();
    probe.trade(10, {}, { makerInstrument: '2', makerSide: 'buy', makerPrice: '0.6', makerBuilder: '0xb1' });
    expect(probe.rows()).toEqual([
      'taker venue_b:0xt10:1 fill 1: 3 at 0.4, realized 0, notional 1.2, fee 0.01',
      'maker venue_b:0xt10:1 fill 2 of 0xb1: 3 at 0.6, realized 0, notional 1.8, fee 0',
    ]);
    expect(probe.books()).toEqual([
      'taker 1: 3, known 3 for 1.2, average 0.4',
      'maker 2 of 0xb1: 3, known 3 for 1.8, average 0.6',
    ]);
  });

  it('state their side, and the instrument of their trade even where the maker traded its complement', () => {
    const probe = bothBound();
    probe.trade(10, {}, { makerInstrument: '2', makerSide: 'buy', makerPrice: '0.6' });
    const sides = probe.driver
      .emittedTo(ledgerEventTopic)
      .map((row) => [row.role, row.instrument, row.tradedInstrument]);
    expect(sides).toEqual([
      ['taker', '1', '1'],
      ['maker', '2', '1'],
    ]);
  });

  it('close lots of the builder of the order, and a book without lots is removed', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    probe.trade(10, {}, { takerBuilder: '0xb1' });
    probe.trade(11, { side: 'sell', price: '0.9' }, { takerBuilder: '0xb1', takerFee: null });
    expect(probe.rows()[1]).toBe(
      'taker venue_b:0xt11:1 fill 1 of 0xb1: -3 at 0.9, realized 1.5, notional 2.7, fee null, closes 3 of venue_b:0xt10:1',
    );
    expect(probe.books()).toEqual([]);
  });

  it('publish that their book is open when it opens, not with each of them', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    probe.trade(10);
    probe.trade(11);
    probe.driver.restart();
    probe.trade(12, { side: 'sell', qty: '5' });
    expect(probe.driver.emittedTo(openBookTopic)).toHaveLength(1);
    probe.trade(13, { side: 'sell', qty: '1' });
    expect(probe.books()).toEqual([]);
    probe.trade(14);
    expect(probe.books()).toEqual(['taker 1: 3, known 3 for 1.2, average 0.4']);
    expect(probe.driver.emittedTo(openBookTopic)).toHaveLength(2);
  });

  it('count once, from the binding on, while they are pending and after they are confirmed', () => {
    const probe = createLedgersProbe();
    const before = probe.trade(10);
    probe.bind(OPERATOR, 'wal_t', TAKER);
    const after = probe.trade(11);
    const written = probe.driver.outputs.length;
    probe.repeat(before, 'confirmed');
    probe.repeat(after, 'confirmed');
    expect(probe.driver.outputs).toHaveLength(written);
    expect(probe.rows()).toHaveLength(1);
    expect(probe.books()).toEqual(['taker 1: 3, known 3 for 1.2, average 0.4']);
  });

  it('disappear when their trade is reverted, with what followed from them, and count again once included again', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    const first = probe.trade(10);
    probe.trade(12, { side: 'sell', price: '0.5' });
    probe.driver.restart();
    probe.repeat(first, 'reverted');
    const sale = 'taker venue_b:0xt12:1 fill 1: -3 at 0.5, realized';
    expect(probe.rows()).toEqual([`${sale} 0, notional 1.5, fee 0.01`]);
    expect(probe.books()).toEqual(['taker 1: -3, known -3 for -1.5, average 0.5']);
    expect(probe.driver.emittedTo(openBookTopic).map(({ rebuilt }) => rebuilt)).toEqual([false, true]);
    probe.trade(11, { id: first.id });
    expect(probe.rows().toSorted()).toEqual([
      `taker ${first.id} fill 1: 3 at 0.4, realized 0, notional 1.2, fee 0.01`,
      `${sale} 0.3, notional 1.5, fee 0.01, closes 3 of ${first.id}`,
    ]);
    expect(probe.books()).toEqual([]);
  });

  it('of an account that traded with itself are two', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    probe.trade(10, { maker: TAKER });
    expect(probe.rows()).toEqual([
      'taker venue_b:0xt10:1 fill 1: 3 at 0.4, realized 0, notional 1.2, fee 0.01',
      'taker venue_b:0xt10:1:maker fill 1: -3 at 0.4, realized 0, notional 1.2, fee 0, closes 3 of venue_b:0xt10:1',
    ]);
  });

  it('are a dead letter and change nothing where the trade lacks its orders', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    const trade = probe.trade(10);
    probe.driver.clear();
    probe.driver.feed(probe.topics.trades, { ...trade, arrival: 99, orders: null });
    expect(probe.driver.deadLetters).toHaveLength(1);
    expect(probe.driver.outputs).toEqual([]);
  });
});

describe('bindings', () => {
  it('of several organizations share one ledger, which ends with the last of them', () => {
    const probe = createLedgersProbe();
    const other = probe.organization('org_other');
    probe.bind(OPERATOR, 'wal_1', TAKER);
    probe.bind(other, 'wal_2', TAKER);
    probe.trade(10);
    expect(probe.rows()).toHaveLength(1);
    probe.unbind(OPERATOR, 'wal_1');
    probe.trade(11);
    expect(probe.books()).toEqual(['taker 1: 6, known 6 for 2.4, average 0.4']);
    probe.command('organization.delete', { organizationId: 'org_other' }, OPERATOR);
    expect(probe.books()).toEqual([]);
    expect(probe.started()).toEqual([]);
    probe.trade(12);
    expect(probe.books()).toEqual([]);
  });

  it('after a removal begin an empty ledger under another start', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_1', TAKER);
    probe.trade(10);
    probe.unbind(OPERATOR, 'wal_1');
    probe.bind(OPERATOR, 'wal_2', TAKER, 'venue_b', 11_000);
    probe.trade(12);
    expect(probe.books()).toEqual(['taker 1: 3, known 3 for 1.2, average 0.4']);
    expect(probe.ledgers()).toEqual([1_000, 11_000]);
    expect(probe.started()).toEqual([{ account: `venue_b:${TAKER}`, ledger: 11_000 }]);
  });

  it('of suspended organizations still count, those of other venues do not', () => {
    const probe = createLedgersProbe();
    const other = probe.organization('org_other');
    probe.bind(other, 'wal_1', TAKER);
    probe.bind(other, 'wal_2', MAKER, 'venue_a');
    probe.command('organization.change', { organizationId: 'org_other', suspended: true }, OPERATOR);
    probe.trade(10);
    expect(probe.books()).toEqual(['taker 1: 3, known 3 for 1.2, average 0.4']);
  });
});

describe('a settlement', () => {
  const SETTLED =
    'taker venue_b:0xr20:1 settle 1: -3 at 1, realized 1.8, notional 0, fee 0, closes 3 of venue_b:0xt10:1';
  type Probe = ReturnType<typeof createLedgersProbe>;
  const steps: Record<string, (probe: Probe) => unknown> = {
    market: (probe) => probe.market(),
    trade: (probe) => probe.trade(10),
    resolution: (probe) => probe.resolve(20),
  };
  const orders = [
    'market trade resolution',
    'trade market resolution',
    'trade resolution market',
    'resolution trade market',
  ];

  it.each([...orders, 'market resolution trade', 'resolution market trade'])(
    'closes every lot at its payout, in this order of arrival: %s',
    (order) => {
      const probe = createLedgersProbe();
      probe.bind(OPERATOR, 'wal_t', TAKER);
      for (const step of order.split(' ')) {
        steps[step]!(probe);
        probe.driver.restart();
      }
      expect(probe.rows()).toContain(SETTLED);
      expect(probe.rows()).toHaveLength(2);
      expect(probe.books()).toEqual([]);
    },
  );

  it('changes nothing when it is confirmed, and is undone when it is reverted', () => {
    const probe = createLedgersProbe();
    probe.bind(OPERATOR, 'wal_t', TAKER);
    for (const step of ['market', 'trade', 'resolution']) steps[step]!(probe);
    const written = probe.driver.outputs.length;
    probe.resolve(20, { status: 'confirmed' });
    expect(probe.driver.outputs).toHaveLength(written);
    probe.resolve(20, { status: 'reverted' });
    expect(probe.rows()).toHaveLength(1);
    expect(probe.books()).toEqual(['taker 1: 3, known 3 for 1.2, average 0.4']);
    probe.resolve(22, { payouts: ['0', '1'] });
    expect(probe.rows()[1]).toContain('settle 1: -3 at 0, realized -1.2');
  });
});

it('an event that is more than 32 days late changes nothing, and makes its book partial', () => {
  const probe = createLedgersProbe();
  probe.bind(OPERATOR, 'wal_t', TAKER);
  probe.trade(10);
  probe.day(32);
  probe.trade(11);
  expect(probe.books()).toEqual(['taker 1: 6, known 6 for 2.4, average 0.4']);
  probe.day(34);
  probe.trade(DAY_BLOCKS, { side: 'sell' });
  probe.driver.restart();
  probe.trade(3 * DAY_BLOCKS, { side: 'sell' });
  expect(probe.rows().slice(2)).toEqual([
    'taker venue_b:0xt86400:1:late fill 1: 0 at null, realized null, notional 0, fee 0, partial',
    'taker venue_b:0xt259200:1 fill 1: -3 at 0.4, realized 0, notional 1.2, fee 0.01, closes 3 of venue_b:0xt10:1',
  ]);
  expect(probe.books()).toEqual(['taker 1: 3, known 3 for 1.2, average 0.4']);
});
