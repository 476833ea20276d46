import { describe, expect, it } from 'vitest';
import {
  accountValueTopic,
  failedAcquisitionTopics,
  type VenueAAcquisition,
  venueAAcquisitionTopic,
  venueBAcquisitionTopic,
} from '#schemas/topics/accounts';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createAccountsStage } from './stage.ts';
import { PAYOUTS_MAX } from './state.ts';

const ACCOUNT = `venue_a:0x${'a'.repeat(40)}`;
const acquisition = (fields: Partial<VenueAAcquisition> = {}): VenueAAcquisition => ({
  account: ACCOUNT,
  receivedAt: 2_000,
  asOf: 1_500,
  source: 'official',
  mode: 'default',
  dexes: [
    { dex: '', collateralToken: 0, accountValue: '100', withdrawable: '60', marginUsed: '40', unrealizedPnl: '-2' },
  ],
  balances: [{ coin: 'HYPE', token: 150, total: '2', hold: '0' }],
  vaultUsd: '7',
  staked: '1',
  prices: [
    { key: '0', usd: '1' },
    { key: '150', usd: '40.5' },
  ],
  ...fields,
});
const settled = (outcome: number, payouts: string[]): Resolution => ({
  id: `venue_a_outcome:#${outcome}0`,
  provider: 'venue_a_outcome',
  marketId: `#${outcome}0`,
  payouts,
  resolvedAt: 1,
  decidedAfter: null,
  receivedAt: 1,
  endTime: null,
  txHash: null,
  logIndex: null,
  blockNumber: null,
  blockHash: null,
  status: 'confirmed',
});

function setUp() {
  const stage = driveStage(createAccountsStage());
  const value = (fields: Partial<VenueAAcquisition> = {}) => {
    stage.feed(venueAAcquisitionTopic, acquisition(fields));
    return stage.emittedTo(accountValueTopic).at(-1)!;
  };
  const holding = (...coins: string[]) =>
    value({ balances: coins.map((coin) => ({ coin, token: null, total: '10', hold: '0' })) });
  const holdingAt = (receivedAt: number, account: string, ...coins: string[]) =>
    value({ account, receivedAt, balances: coins.map((coin) => ({ coin, token: null, total: '10', hold: '0' })) });
  return { stage, value, holding, holdingAt };
}

describe('the value of an account', () => {
  it('is written once for each acquisition, with its parts', () => {
    const { stage, value } = setUp();
    expect(value()).toEqual({
      account: ACCOUNT,
      receivedAt: 2_000,
      asOf: 1_500,
      source: 'official',
      unpriced: null,
      failure: null,
      mode: 'default',
      valueUsd: '228.5',
      availableUsd: '60',
      navUsd: '228.5',
      unrealizedPnlUsd: '-2',
      buckets: [
        { kind: 'perp', usd: '100' },
        { kind: 'spot', usd: '81' },
        { kind: 'vault', usd: '7' },
        { kind: 'staking', usd: '40.5' },
      ],
      spotBalances: [{ coin: 'HYPE', total: '2', hold: '0', usd: '81' }],
      perpByDex: [{ dex: '', accountValueUsd: '100', unrealizedPnlUsd: '-2' }],
    });
    expect(stage.outputs).toHaveLength(1);
  });

  it('is unknown, and states why, while something has no price', () => {
    const { value } = setUp();
    const none = { valueUsd: null, availableUsd: null, navUsd: null, unrealizedPnlUsd: null };
    expect(value({ prices: [{ key: '0', usd: '1' }] })).toMatchObject({ unpriced: '150', ...none, buckets: [] });
  });

  it('counts a settled outcome with the payout of the side that the account last held', () => {
    const { stage, holding } = setUp();
    holding('+121');
    stage.restart();
    expect(holding('o12').unpriced).toBe('o12');
    stage.feed(resolutionTopics.venue_a, settled(12, ['0.25', '0.75']));
    // perp 100, outcome 10 · 0.75, vault 7 and stake 40.5
    expect(holding('o12').valueUsd).toBe('155');
    expect(holding('o12').valueUsd).toBe('155');
  });

  it('does not count a side that is used up as held', () => {
    const { stage, value, holding } = setUp();
    const balance = (coin: string, total: string) => ({ coin, token: null, total, hold: '0' });
    value({
      balances: [balance('+120', '10'), balance('+121', '0.0')],
      prices: [...acquisition().prices, { key: '+120', usd: '1' }],
    });
    stage.feed(resolutionTopics.venue_a, settled(12, ['0.25', '0.75']));
    expect(holding('o12').valueUsd).toBe('150');
  });

  it('knows what is left of both sides only if both pay the same', () => {
    const { stage, holding } = setUp();
    holding('+120', '+121');
    stage.feed(resolutionTopics.venue_a, settled(12, ['0.25', '0.75']));
    expect(holding('o12').unpriced).toBe('o12');
    stage.feed(resolutionTopics.venue_a, settled(12, ['0.5', '0.5']));
    expect(holding('o12').valueUsd).toBe('152.5');
  });

  it('knows the sides of an account for a day, and those that were read last of very many', () => {
    const { stage, holdingAt } = setUp();
    const DAY = 86_400_000;
    stage.feed(resolutionTopics.venue_a, settled(12, ['0', '1']));
    holdingAt(1_000, 'venue_a:0x1', '+121');
    holdingAt(1_001, 'venue_a:0x2', '+121');
    expect(holdingAt(1_000 + DAY, 'venue_a:0x1', 'o12').valueUsd).toBe('157.5');
    expect(holdingAt(1_002 + DAY, 'venue_a:0x2', 'o12').unpriced).toBe('o12');
    expect(holdingAt(1_003 + 2 * DAY, 'venue_a:0x3', 'o12').unpriced).toBe('o12');
    expect([...stage.state.sides.keys()]).toEqual([]);
    holdingAt(1_000, 'venue_a:0x4', '+121');
    stage.state.followed.set('venue_a:0x4', { ledger: 1, snapshotHour: null });
    expect(holdingAt(1_000 + 3 * DAY, 'venue_a:0x4', 'o12').valueUsd).toBe('157.5');
  });

  it('depends on which outcomes are the newest, not on which of them became known last', () => {
    const { stage } = setUp();
    for (let outcome = PAYOUTS_MAX; outcome > 0; outcome -= 1) stage.state.payouts.set(outcome, ['1', '0']);
    stage.feed(resolutionTopics.venue_a, settled(PAYOUTS_MAX + 1, ['1', '0']));
    expect(stage.state.payouts.has(1)).toBe(false);
    expect(stage.state.payouts.has(PAYOUTS_MAX)).toBe(true);
  });

  it('is unknown after responses that cannot be read, and after figures that no decimal holds', () => {
    const { stage, value } = setUp();
    expect(value().navUsd).toBe('228.5');
    stage.feed(failedAcquisitionTopics.venue_a, { account: ACCOUNT, receivedAt: 3_000, reason: 'bad' });
    expect(stage.emittedTo(accountValueTopic).at(-1)).toMatchObject({
      navUsd: null,
      failure: 'bad',
      receivedAt: 3_000,
    });
    const most = '9'.repeat(20);
    const balances = [{ coin: 'HYPE', token: 150, total: most, hold: '0' }];
    expect(value({ balances })).toMatchObject({
      navUsd: null,
      valueUsd: null,
      failure: expect.stringContaining('large'),
    });
    expect(stage.deadLetters).toMatchObject([{ reason: 'impossible_amounts' }]);
  });

  it('does not know what an outcome pays that the account was never seen to hold', () => {
    const { stage, holding } = setUp();
    stage.feed(resolutionTopics.venue_a, settled(12, ['1', '0']));
    expect(holding('o12').unpriced).toBe('o12');
  });

  it('of venue_b is that of its positions and its cash', () => {
    const { stage } = setUp();
    const account = `venue_b:0x${'b'.repeat(40)}`;
    const positions = [{ asset: '1', size: '10.5', price: '0.4', redeemable: false }];
    stage.feed(venueBAcquisitionTopic, { account, receivedAt: 5, asOf: 4, positions, cash: ['1', '0.5'] });
    stage.feed(venueBAcquisitionTopic, { account, receivedAt: 6, asOf: null, positions: [], cash: ['1', '0.5'] });
    expect(stage.emittedTo(accountValueTopic)).toMatchObject([
      { account, asOf: 4, source: null, valueUsd: '4.2', availableUsd: '1.5', navUsd: '5.7', unpriced: null },
      { account, asOf: 6, valueUsd: null, availableUsd: '1.5', navUsd: '1.5' },
    ]);
  });
});
