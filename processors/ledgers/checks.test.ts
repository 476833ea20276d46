import { describe, expect, it } from 'vitest';
import { venueBAcquisitionTopic } from '#schemas/topics/accounts';
import { ledgerChangeTopic, ledgerCheckTopic } from '#schemas/topics/ledger-checks';
import { createLedgersProbe, OPERATOR, TAKER } from './ledgers.fixture.ts';

const ACCOUNT = `venue_b:${TAKER}`;

function setUp() {
  const probe = createLedgersProbe();
  probe.bind(OPERATOR, 'wal_t', TAKER);
  const acquire = (
    receivedAt: number,
    sizes: Readonly<Record<string, string>>,
    { account = ACCOUNT, redeemable = false, asOf = receivedAt } = {},
  ) => {
    const positions = Object.entries(sizes).map(([asset, size]) => ({ asset, size, price: '0.5', redeemable }));
    probe.driver.feed(venueBAcquisitionTopic, { account, receivedAt, asOf, positions, cash: ['0', '0'] });
  };
  const checks = () =>
    probe.driver.emittedTo(ledgerCheckTopic).map(({ instrument, isEqual }) => `${instrument} ${isEqual}`);
  const change = () => probe.driver.outputs.findLast(({ topic }) => topic === ledgerChangeTopic.name)?.value;
  return { probe, acquire, checks, change };
}

describe('a comparison with the venue', () => {
  it('shows which positions of a ledger differ by more than 0.01, where that is new', () => {
    const { probe, acquire, checks } = setUp();
    probe.trade(10);
    expect(checks()).toEqual([]);
    acquire(20_000, { 1: '2.98' });
    expect(checks()).toEqual(['1 false']);
    probe.driver.restart();
    acquire(21_000, { 1: '2.98' });
    acquire(22_000, { 1: '2.99' });
    acquire(23_000, {}, { account: 'venue_b:0x9' });
    expect(checks()).toEqual(['1 false', '1 true']);
    probe.trade(30);
    acquire(40_000, { 1: '6.01' });
    expect(checks()).toHaveLength(2);
    acquire(41_000, {});
    expect(checks().at(-1)).toBe('1 false');
  });

  it('finds a token different that the ledger has no event of, until the venue has it no longer or would redeem it', () => {
    const { probe, acquire, checks } = setUp();
    acquire(10_000, { 8: '100', 9: '5', 7: '0.01' });
    acquire(11_000, { 6: '1' }, { redeemable: true });
    expect(checks()).toEqual(['8 false', '9 false', '8 true', '9 true']);
    probe.driver.restart();
    acquire(12_000, { 9: '5' });
    acquire(13_000, { 9: '5' }, { redeemable: true });
    acquire(14_000, { 9: '5' }, { redeemable: true });
    expect(checks().slice(4)).toEqual(['9 false', '9 true']);
    acquire(15_000, { 1: '3' });
    probe.trade(16);
    acquire(17_000, { 1: '3' });
    expect(checks().slice(6)).toEqual(['1 false', '1 true']);
  });

  it('finds a token different that the venue would redeem and the ledger has not settled', () => {
    const { probe, acquire, checks } = setUp();
    probe.trade(10);
    acquire(11_000, { 1: '3' });
    acquire(12_000, { 1: '3' }, { redeemable: true });
    expect(checks()).toEqual(['1 true', '1 false']);
  });

  it('finds it equal again once the ledger has settled it, if its size was', () => {
    const { probe, acquire, checks } = setUp();
    probe.market();
    probe.trade(10);
    acquire(11_000, { 1: '3' }, { redeemable: true });
    probe.driver.restart();
    probe.resolve(12);
    acquire(13_000, { 1: '3' }, { redeemable: true });
    expect(checks()).toEqual(['1 false', '1 true']);
    probe.market({ marketId: '0xd', instruments: ['3', '4'] });
    probe.trade(20, { instrument: '3' }, { makerInstrument: '3' });
    acquire(21_000, { 3: '5' }, { redeemable: true });
    probe.resolve(22, { marketId: '0xd' });
    acquire(23_000, { 3: '5' }, { redeemable: true });
    expect(checks().slice(2)).toEqual(['3 false']);
  });

  it('leaves out tokens that are settled, and has them again where that is reverted', () => {
    const { probe, acquire, checks } = setUp();
    probe.market();
    probe.trade(10);
    acquire(11_000, { 1: '3' });
    probe.resolve(12);
    acquire(13_000, { 1: '3' });
    expect(checks()).toEqual(['1 true']);
    probe.resolve(12, { status: 'reverted' });
    acquire(14_000, {});
    expect(checks()).toEqual(['1 true', '1 false', '2 true']);
  });

  it('is due from each change of a ledger until it was made half a minute later or after that', () => {
    const { probe, acquire, change } = setUp();
    expect(change()).toEqual({ account: ACCOUNT, ledger: 1_000, changedAt: 1_000, checkedAt: null });
    probe.trade(10);
    expect(change()).toMatchObject({ changedAt: 10_500, checkedAt: null });
    // The venue may not have the change yet.
    acquire(20_000, {});
    expect(change()).toMatchObject({ changedAt: 10_500, checkedAt: 20_000 });
    probe.driver.restart();
    acquire(45_000, {}, { asOf: 40_499 });
    expect(change()).toMatchObject({ changedAt: 10_500, checkedAt: 45_000 });
    acquire(46_000, {}, { asOf: 40_500 });
    expect(change()).toMatchObject({ changedAt: null, checkedAt: 46_000 });
    probe.trade(50);
    expect(change()).toMatchObject({ changedAt: 50_500, checkedAt: 46_000 });
    probe.unbind(OPERATOR, 'wal_t');
    expect(change()).toBeNull();
  });
});
