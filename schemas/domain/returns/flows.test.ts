import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXCHANGES, FEE_MODULES } from '../../venues/venue-b/contracts.ts';
import { formatDecimal, parseDecimal } from '../decimal.ts';
import { flowsBetween } from './flows.ts';
import { ADDRESS, allFlows, flow, OTHER, textOrNull } from './returns.fixture.ts';
import { readLedgerUpdates, venueAFlow } from './venue-a-flows.ts';
import { type CollateralTransfer, venueBFlows } from './venue-b-flows.ts';

const RECORDED = join(
  process.env.PARALLAX_SHARED ?? '../shared',
  'data/venue_a/info.userNonFundingLedgerUpdates.5-rows.json',
);

const priceAt = (token: string, ts: number) => (token === 'HYPE' && ts === 5 ? parseDecimal('40.5') : null);
const update = (delta: object) => ({ time: 5, hash: '0x1', delta });
/** The amount of a flow, the reason why it is not known, or null without a flow. */
function flowOf(delta: object): string | null {
  const flow = venueAFlow(readLedgerUpdates([update(delta)])[0]!, ADDRESS, priceAt);
  return flow && (textOrNull(flow.usd) ?? flow.problem);
}

const sent = { user: ADDRESS, destination: OTHER };
const received = { user: OTHER, destination: ADDRESS };

describe('flows of venue_a', () => {
  it.each([
    ['a deposit', { type: 'deposit', usdc: '2703997.4500000002' }, '2703997.4500000002'],
    ['a withdrawal, with its fee', { type: 'withdraw', usdc: '99', nonce: 1, fee: '1.0' }, '-100'],
    ['a sent internal transfer, with its fee', { type: 'internalTransfer', usdc: '10', fee: '1', ...sent }, '-11'],
    ['a received internal transfer', { type: 'internalTransfer', usdc: '10', fee: '1', ...received }, '10'],
    ['a transfer to a sub-account', { type: 'subAccountTransfer', usdc: '10', ...sent }, '-10'],
    ['a transfer from a sub-account', { type: 'subAccountTransfer', usdc: '10', ...received }, '10'],
    [
      'a sent spot transfer with a fee in USDC',
      { type: 'spotTransfer', token: 'HYPE', amount: '2', usdcValue: '80', fee: '1', feeToken: '', ...sent },
      '-81',
    ],
    [
      'a sent spot transfer with a fee in the sent token',
      { type: 'spotTransfer', token: 'HYPE', amount: '2', usdcValue: '80', fee: '0.1', feeToken: 'HYPE', ...sent },
      '-84',
    ],
    [
      'a sent spot transfer with a fee in another token, which is a cost',
      { type: 'spotTransfer', token: 'HYPE', amount: '2', usdcValue: '80', fee: '0.1', feeToken: 'PURR', ...sent },
      '-80',
    ],
    [
      'a received spot transfer, whose fee the sender paid',
      { type: 'spotTransfer', token: 'HYPE', amount: '2', usdcValue: '80', fee: '1', feeToken: '', ...received },
      '80',
    ],
    [
      'a sent token',
      { type: 'send', token: 'HYPE', amount: '1', usdcValue: '41', fee: '0.0', feeToken: '', ...sent },
      '-41',
    ],
    [
      'an address in upper case',
      {
        type: 'send',
        token: 'USDC',
        usdcValue: '5',
        ...received,
        destination: ADDRESS.toUpperCase().replace('X', 'x'),
      },
      '5',
    ],
    ['a reward in USDC', { type: 'rewardsClaim', token: 'USDC', amount: '7.5' }, '7.5'],
    ['a reward at the price of its token then', { type: 'rewardsClaim', token: 'HYPE', amount: '2' }, '81'],
    ['tokens of a genesis', { type: 'spotGenesis', token: 'HYPE', amount: '0.1' }, '4.05'],
    ['a reward without a price', { type: 'rewardsClaim', token: 'PURR', amount: '2' }, 'flow_unpriced'],
    [
      'a transfer without a value',
      { type: 'send', token: 'PURR', amount: '1', fee: '0', ...received },
      'flow_unpriced',
    ],
    [
      'a fee in a token of which nothing was sent',
      { type: 'send', token: 'PURR', amount: '0', usdcValue: '0', fee: '1', feeToken: 'PURR', ...sent },
      'flow_unpriced',
    ],
    ['a type that is not listed', { type: 'newThing', usdc: '1' }, 'flows_unknown'],
    ['a type with the name of a member of every object', { type: 'constructor' }, 'flows_unknown'],
    ['a transfer between two other accounts', { type: 'send', usdcValue: '1', ...sent, user: OTHER }, 'flows_unknown'],
    ['a transfer to itself', { type: 'send', usdcValue: '1', fee: '1', user: ADDRESS, destination: ADDRESS }, null],
    ['nothing', { type: 'deposit', usdc: '0.0' }, null],
  ])('are those of %s', (_, delta, usd) => {
    expect(flowOf(delta)).toBe(usd);
  });

  it.each([
    'accountClassTransfer',
    'cStakingTransfer',
    'vaultDeposit',
    'vaultWithdraw',
    'vaultDistribution',
    'vaultCreate',
    'vaultLeaderCommission',
    'activateDexAbstraction',
    'borrowLend',
    'deployGasAuction',
    'liquidation',
  ])('do not contain the internal move %s', (type) => {
    expect(flowOf({ type, usdc: '5', amount: '5' })).toBeNull();
  });

  it.each([
    ['no list', {}, 'updates'],
    ['an update without a time', [{ hash: '0x1', delta: { type: 'deposit', usdc: '1' } }], 'updates[0].time'],
    ['an update without a hash', [{ time: 1, delta: { type: 'deposit', usdc: '1' } }], 'updates[0].hash'],
    ['an update without a type', [update({ usdc: '1' })], 'updates[0].delta.type'],
  ])('are refused for %s', (_, response, field) => {
    expect(() => readLedgerUpdates(response)).toThrow(field);
  });

  it.each([
    ['a missing figure', { type: 'deposit' }, 'usdc'],
    ['a figure that is no decimal', { type: 'withdraw', usdc: 'NaN', fee: '1' }, 'usdc'],
    ['an impossible fee', { type: 'withdraw', usdc: '1', fee: '-1' }, 'fee'],
    ['a transfer without a sender', { type: 'send', usdcValue: '1', destination: ADDRESS }, 'user'],
  ])('are refused for %s', (_, delta, field) => {
    expect(() => flowOf(delta)).toThrow(field);
  });

  it.skipIf(!existsSync(RECORDED))('are those of the recorded updates (skipped: no data at PARALLAX_SHARED)', () => {
    const { response } = JSON.parse(readFileSync(RECORDED, 'utf8'));
    const flows = readLedgerUpdates(response).flatMap((update) => venueAFlow(update, ADDRESS, () => null) ?? []);
    expect(flows.map(({ ts, kind, usd }) => [ts, kind, textOrNull(usd)])).toEqual([
      [1731999196516, 'deposit', '2703997.4500000002'],
      [1732834825313, 'spotTransfer', '-11.5'],
      [1732867345893, 'deposit', '1099994.98'],
    ]);
  });
});

describe('flows of venue_b', () => {
  const transfer = (txHash: string, from: string, to: string, units: bigint): CollateralTransfer => ({
    txHash,
    ts: Number(txHash) * 1000,
    from,
    to,
    units,
  });
  const flows = (...transfers: CollateralTransfer[]) =>
    venueBFlows(transfers, ADDRESS).map(({ ts, kind, txHash, usd }) => [ts, kind, txHash, formatDecimal(usd)]);
  const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
  const ONRAMP = '0x93070a847efef7f70739046a929d47a521f5b8ee';

  it('are the net change of collateral in each transaction', () => {
    expect(
      flows(
        transfer('0x1', OTHER, ADDRESS, 5_000_001n),
        transfer('0x2', ADDRESS, OTHER, 3_000_000n),
        transfer('0x1', ADDRESS, OTHER, 1_000_000n),
        transfer('0x3', OTHER, OTHER.replace('a', 'b'), 9n),
      ),
    ).toEqual([
      [1000, 'deposit', '0x1', '4.000001'],
      [2000, 'withdraw', '0x2', '-3'],
    ]);
  });

  it('do not contain what the account traded', () => {
    const contracts = [
      EXCHANGES.ctfV2,
      FEE_MODULES[0],
      '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
      '0xada100db00ca00073811820692005400218fce1f',
    ];
    expect(
      flows(
        ...contracts.flatMap((contract) => [
          transfer('0x1', contract, ADDRESS, 5n),
          transfer('0x2', ADDRESS, contract, 7n),
        ]),
      ),
    ).toEqual([]);
  });

  it('do not contain a token that is wrapped as the other, or a transfer to itself', () => {
    expect(
      flows(
        transfer('0x1', ADDRESS, ONRAMP, 8n),
        transfer('0x1', ZERO_ADDRESS, ADDRESS, 8n),
        transfer('0x2', ADDRESS, ADDRESS, 8n),
      ),
    ).toEqual([]);
  });
});

it('a window has the flows after its start, up to its end', () => {
  const history = allFlows(flow(1, '1'), flow(2, '2'), flow(3, '3'));
  expect(flowsBetween(history, 1, 2).flows?.map(({ ts }) => ts)).toEqual([2]);
});
