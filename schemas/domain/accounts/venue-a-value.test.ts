import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../decimal.ts';
import { type AccountFigures, accountPrices, accountResponses, type BalanceFigures } from './accounts.fixture.ts';
import { naiveAccountValue } from './naive-account-value.fixture.ts';
import { ACCOUNT_MODES, readVenueAAccount } from './venue-a-account.ts';
import { valueVenueAAccount } from './venue-a-value.ts';

const DATA = join(process.env.PARALLAX_SHARED ?? '../shared', 'data/venue_a');

function valued(
  figures: AccountFigures,
  prices: Readonly<Record<string, string>> = {},
  collateral: Record<string, number> = {},
) {
  return readable(valueVenueAAccount(readVenueAAccount(accountResponses(figures)), accountPrices(prices, collateral)));
}

function readable({ value, ...rest }: ReturnType<typeof valueVenueAAccount>) {
  if (!value) return rest;
  const { buckets, valueUsd, availableUsd, unrealizedPnlUsd } = value;
  const { perp, spot, vault, staking } = buckets;
  const figures = { valueUsd, availableUsd, unrealizedPnlUsd, perp, spot, vault, staking };
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, formatDecimal(figure)]));
}

const OWNED = {
  dexes: {
    '': { accountValue: '100.5', withdrawable: '60.25', marginUsed: '40', pnl: ['-3.5', '1.25'] },
    xyz: { accountValue: '10', withdrawable: '4', marginUsed: '6', pnl: ['2'] },
  },
  balances: [
    { coin: 'USDC', token: 0, total: '1000', hold: '100' },
    { coin: 'USDH', token: 360, total: '5', hold: '1' },
    { coin: '+120', total: '50' },
  ],
  vaults: ['7.5', '2.5'],
  staked: { delegated: '1', undelegated: '0.5', pending: '0.5' },
};
const PRICES = { '150': '40', '360': '0.999', '+120': '0.3' };

describe('the value of an account of venue_a', () => {
  it.each(['default', 'disabled', 'dexAbstraction'])(
    'is the sum of perpetuals, spot, vaults and stakes in mode %s',
    (mode) => {
      // perp 100.5 + 10 · 0.999, spot 1000 + 5 · 0.999 + 50 · 0.3
      expect(valued({ ...OWNED, mode }, PRICES, { xyz: 360 })).toEqual({
        valueUsd: '1220.485',
        availableUsd: '64.246',
        unrealizedPnlUsd: '-0.252',
        perp: '110.49',
        spot: '1019.995',
        vault: '10',
        staking: '80',
      });
    },
  );

  it.each(['unifiedAccount', 'portfolioMargin'])('carves the perpetuals out of spot in mode %s', (mode) => {
    // The margin of 6 USDH is above the balance of 5.
    expect(valued({ ...OWNED, mode }, PRICES, { xyz: 360 })).toEqual({
      valueUsd: '1109.995',
      availableUsd: '903.996',
      unrealizedPnlUsd: '-0.252',
      perp: '44.995',
      spot: '975',
      vault: '10',
      staking: '80',
    });
  });

  it('subtracts borrowed tokens, which carve nothing out and leave nothing available', () => {
    const balances = [
      { coin: 'USDC', token: 0, total: '-300', hold: '0.0' },
      { coin: 'HYPE', token: 150, total: '10' },
    ];
    const figures = { mode: 'portfolioMargin', balances, dexes: { '': { marginUsed: '25' } } };
    expect(valued(figures, { '150': '40' })).toMatchObject({
      valueUsd: '100',
      availableUsd: '0',
      perp: '0',
      spot: '100',
    });
  });

  it.each([
    ['a token', { balances: [{ coin: 'PURR', token: 1, total: '0.00001' }] }, '1'],
    ['a borrowed token', { balances: [{ coin: 'PURR', token: 1, total: '-2' }] }, '1'],
    ['an outcome', { balances: [{ coin: '+70', total: '3' }] }, '+70'],
    ['a settled outcome', { balances: [{ coin: 'o7', total: '3' }] }, 'o7'],
    ['a stake', { staked: { pending: '0.1' } }, '150'],
    ['the collateral of a dex', { dexes: { flx: { accountValue: '-1' } } }, '235'],
    ['the unrealized profit of a dex', { dexes: { flx: { pnl: ['1'] } } }, '235'],
  ])('is unknown while %s has no price', (_, figures, unpriced) => {
    expect(valued(figures, {}, { flx: 235 })).toEqual({ unpriced });
  });

  it('is unknown while the collateral token of a dex is unknown', () => {
    for (const figures of [{ accountValue: '1' }, { marginUsed: '1' }, { pnl: ['-1'] }])
      for (const mode of ['default', 'unifiedAccount']) {
        const isCounted = mode !== 'default' || !('marginUsed' in figures);
        const unpriced = { unpriced: 'the collateral of a dex' };
        expect(valued({ mode, dexes: { flx: figures } })).toEqual(isCounted ? unpriced : expect.anything());
      }
    expect(valued({ dexes: { flx: {} } })).toMatchObject({ valueUsd: '0' });
  });

  it('needs no price for what is zero, and states it as zero', () => {
    const figures = { balances: [{ coin: 'PURR', token: 1, total: '0.0' }], dexes: { flx: {} } };
    const { value } = valueVenueAAccount(readVenueAAccount(accountResponses(figures)), accountPrices({}, { flx: 235 }));
    expect(value).toMatchObject({ valueUsd: 0n, spotBalances: [{ coin: 'PURR', usd: 0n }] });
    expect(value!.perpByDex).toEqual([
      { dex: '', accountValueUsd: 0n, unrealizedPnlUsd: 0n },
      { dex: 'flx', accountValueUsd: 0n, unrealizedPnlUsd: 0n },
    ]);
  });

  it('equals a naive calculation for random accounts in every mode', () => {
    let seed = 7;
    const draw = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor(seed / 65_536) % below;
    };
    const amount = (signed = false) => `${signed && draw(3) === 0 ? '-' : ''}${draw(9_000)}.${String(draw(30_000))}`;
    const price = () => `${draw(300)}.${String(draw(30_000)).padStart(5, '0')}`;
    const collateral = { xyz: 360, flx: 235, abc: 360 };
    for (let round = 0; round < 2_000; round += 1) {
      const prices = { '150': price(), '360': price(), '235': price(), '1': price(), '+10': '0.4', o3: '1' };
      const candidates: BalanceFigures[] = [
        { coin: 'USDC', token: 0, total: amount(true), hold: amount() },
        { coin: 'USDH', token: 360, total: amount(true), hold: amount() },
        { coin: 'USDE', token: 235, total: amount() },
        { coin: 'PURR', token: 1, total: amount(true) },
        { coin: '+10', total: amount() },
        { coin: 'o3', total: amount() },
      ];
      const dex = () => ({
        accountValue: amount(true),
        withdrawable: amount(),
        marginUsed: amount(),
        pnl: Array.from({ length: draw(4) }, () => amount(true)),
      });
      const figures: AccountFigures = {
        mode: ACCOUNT_MODES[round % ACCOUNT_MODES.length]!,
        dexes: { '': dex(), xyz: dex(), flx: dex(), abc: dex() },
        balances: candidates.filter(() => draw(3) > 0),
        vaults: Array.from({ length: draw(3) }, () => amount()),
        staked: { delegated: amount(), pending: amount() },
      };
      expect(valued(figures, prices, collateral)).toEqual(naiveAccountValue(figures, prices, collateral));
    }
  });

  it('has buckets that sum to it', () => {
    const figures = { ...OWNED, balances: [{ coin: 'HYPE', token: 150, total: '0.3333333333' }] };
    const account = readVenueAAccount(accountResponses(figures));
    const { value } = valueVenueAAccount(
      account,
      accountPrices({ '150': '39.123456789123456789', '360': '1' }, { xyz: 360 }),
    );
    const { perp, spot, vault, staking } = value!.buckets;
    expect(perp + spot + vault + staking).toBe(value!.valueUsd);
  });
});

describe('responses about an account of venue_a', () => {
  const responses = accountResponses(OWNED);
  it.each([
    ['userAbstraction', { userAbstraction: 'newMode' }],
    ['userAbstraction', { userAbstraction: null }],
    ['clearinghouseState', { clearinghouseStates: new Map([['xyz', {}]]) }],
    ['clearinghouseState of the main dex', { clearinghouseStates: new Map([['', null]]) }],
    ['withdrawable', { clearinghouseStates: stateWith({ withdrawable: undefined }) }],
    ['withdrawable', { clearinghouseStates: stateWith({ withdrawable: 'NaN' }) }],
    ['marginSummary.accountValue', { clearinghouseStates: stateWith({ marginSummary: { totalMarginUsed: '1' } }) }],
    ['unrealizedPnl', { clearinghouseStates: stateWith({ assetPositions: [{ position: { coin: 'BTC' } }] }) }],
    ['assetPositions', { clearinghouseStates: stateWith({ assetPositions: null }) }],
    ['spotClearinghouseState', { spotClearinghouseState: null }],
    ['balances[0].hold', { spotClearinghouseState: { balances: [{ coin: 'USDC', token: 0, total: '1' }] } }],
    ['balances[0].total', { spotClearinghouseState: { balances: [{ coin: 'USDC', token: 0, hold: '1' }] } }],
    ['userVaultEquities', { userVaultEquities: {} }],
    ['userVaultEquities[0].equity', { userVaultEquities: [{ equity: 12 }] }],
    ['delegatorSummary.undelegated', { delegatorSummary: { delegated: '1', totalPendingWithdrawal: '1' } }],
  ])('are refused for an invalid %s', (field, change) => {
    expect(() => readVenueAAccount({ ...responses, ...change })).toThrow(field);
  });

  function stateWith(change: object) {
    const state = accountResponses({}).clearinghouseStates.get('') as object;
    return new Map([['', { ...state, ...change }]]);
  }

  it('have the oldest time of their dexes, and none where no dex states one', () => {
    const times = accountResponses({ dexes: { '': { time: 30 }, xyz: { time: 20 }, flx: {} } });
    expect(readVenueAAccount(times).time).toBe(20);
    expect(readVenueAAccount(responses).time).toBeNull();
  });
});

describe.skipIf(!existsSync(DATA))('recorded responses of venue_a (skipped: no data at PARALLAX_SHARED)', () => {
  const recorded = (name: string) => JSON.parse(readFileSync(join(DATA, name), 'utf8'));

  it('give the value that their own sums give', () => {
    const state = recorded('info.clearinghouseState.2023-03.json').response;
    const responses = {
      ...accountResponses({ staked: { delegated: '0.0' } }),
      clearinghouseStates: new Map([['', state]]),
      spotClearinghouseState: recorded('info.spotClearinghouseState.empty-2026-07.json').response,
      userVaultEquities: recorded('info.userVaultEquities.json').response,
    };
    const { value } = valueVenueAAccount(readVenueAAccount(responses), accountPrices({}));
    // 688536.0314879999 + 100.003834 in vaults.
    expect(readable({ value: value! })).toMatchObject({
      valueUsd: '689818.3478179999',
      availableUsd: '1010.57173',
      perp: '1182.312496',
      vault: '688636.0353219999',
    });
    const pnl = state.assetPositions.map(({ position }: { position: { unrealizedPnl: string } }) =>
      BigInt(Math.round(Number(position.unrealizedPnl) * 1e6)),
    );
    const sum: bigint = pnl.reduce((total: bigint, one: bigint) => total + one, 0n);
    expect(value!.unrealizedPnlUsd).toBe(sum * 10n ** 12n);
    // The venue's own identity: what is not used as margin can be withdrawn.
    const { accountValue, totalMarginUsed } = state.marginSummary;
    expect(value!.availableUsd).toBe(parseDecimal(accountValue) - parseDecimal(totalMarginUsed));
  });

  it('are read with the venue’s binary noise', () => {
    const { excerpt } = recorded('info.clearinghouseState.hlp-child-excerpt-2026-07.json');
    const assetPositions = excerpt.positions.map((position: object) => ({ type: 'oneWay', position }));
    const state = { ...excerpt, assetPositions, withdrawable: '0.0' };
    const responses = { ...accountResponses({}), clearinghouseStates: new Map([['', state]]) };
    const { value } = valueVenueAAccount(readVenueAAccount(responses), accountPrices({}));
    expect(readable({ value: value! })).toMatchObject({
      valueUsd: '3001412.122254',
      unrealizedPnlUsd: '190.368168',
    });
  });
});
