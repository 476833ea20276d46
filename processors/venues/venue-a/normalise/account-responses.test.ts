import { describe, expect, it } from 'vitest';
import { clearinghouseState } from '#schemas/domain/accounts/accounts.fixture';
import { failedAcquisitionTopics, venueAAcquisitionTopic } from '#schemas/topics/accounts';
import { driveVenueA, START } from './venue-a.fixture.ts';

const USER = `0x${'A1'.repeat(20)}`;
const ACCOUNT = `venue_a:${USER.toLowerCase()}`;
const perps = (names: string[], collateralToken: number) => ({
  universe: names.map((name) => ({ name, szDecimals: 2, maxLeverage: 20, marginTableId: 1 })),
  marginTables: [],
  collateralToken,
});
const SPOT_META = {
  tokens: [
    { name: 'USDC', index: 0, szDecimals: 8 },
    { name: 'HYPE', index: 150, szDecimals: 2 },
    { name: 'USDH', index: 360, szDecimals: 2 },
  ],
  universe: [
    { name: '@107', index: 107, tokens: [150, 0] },
    { name: '@230', index: 230, tokens: [360, 0] },
  ],
};
const spotContexts = (hype: string) => [
  { coin: '@107', markPx: hype, midPx: null, prevDayPx: '1', dayNtlVlm: '1', dayBaseVlm: '1' },
  { coin: '@230', markPx: '0.999', midPx: null, prevDayPx: '1', dayNtlVlm: '1', dayBaseVlm: '1' },
];
const OUTCOMES = {
  outcomes: [{ outcome: 12, name: 'Recurring', description: 'x', sideSpecs: [], quoteToken: 'USDH' }],
  questions: [],
};
const STAKED = { delegated: '1.5', undelegated: '0.0', totalPendingWithdrawal: '0.5', nPendingWithdrawals: 1 };

/** A venue with two dexes whose lists were received. */
function setUp() {
  const venue = driveVenueA();
  const lists = (at = 0) => {
    venue.answer({ type: 'perpDexs' }, [null, { name: 'xyz', fullName: 'XYZ', deployer: null }], at);
    venue.answer({ type: 'allPerpMetas' }, [perps(['BTC'], 0), perps(['xyz:TSLA'], 360)], at);
    venue.answer({ type: 'spotMetaAndAssetCtxs' }, [SPOT_META, spotContexts('40.5')], at);
    venue.answer({ type: 'outcomeMeta' }, OUTCOMES, at);
    venue.answer({ type: 'allMids' }, { '#120': '0.25' }, at);
  };
  lists();
  const balances = [
    { coin: 'USDC', token: 0, total: '5.0', hold: '1.0', entryNtl: '0.0' },
    { coin: '+120', total: '10.0', hold: '0.0', entryNtl: '0.0' },
  ];
  const responses: [request: object, body: unknown][] = [
    [{ type: 'userAbstraction', user: USER }, 'default'],
    [{ type: 'clearinghouseState', user: USER }, clearinghouseState({ accountValue: '100.50', time: START + 900 })],
    [{ type: 'clearinghouseState', user: USER, dex: 'xyz' }, clearinghouseState({ pnl: ['-1.5'], time: START + 800 })],
    [{ type: 'spotClearinghouseState', user: USER }, { balances }],
    [{ type: 'userVaultEquities', user: USER }, [{ vaultAddress: '0x1', equity: '7.25', lockedUntilTimestamp: 1 }]],
    [{ type: 'delegatorSummary', user: USER }, STAKED],
  ];
  const send = (at: number, count = responses.length) => {
    // Bodies are JSON, also a text.
    for (const [request, body] of responses.slice(0, count)) venue.answer(request, JSON.stringify(body), at);
  };
  const emitted = () => venue.stage.emittedTo(venueAAcquisitionTopic);
  return { venue, lists, responses, send, emitted };
}

describe('responses about an account', () => {
  it('are one acquisition once all of them were received, with the prices of what the account has', () => {
    const { send, emitted } = setUp();
    send(1_000, 5);
    expect(emitted()).toEqual([]);
    send(2_000);
    expect(emitted()).toEqual([
      {
        account: ACCOUNT,
        receivedAt: START + 2_000,
        asOf: START + 800,
        source: 'official',
        mode: 'default',
        dexes: [
          {
            dex: '',
            collateralToken: 0,
            accountValue: '100.5',
            withdrawable: '0',
            marginUsed: '0',
            unrealizedPnl: '0',
          },
          {
            dex: 'xyz',
            collateralToken: 360,
            accountValue: '0',
            withdrawable: '0',
            marginUsed: '0',
            unrealizedPnl: '-1.5',
          },
        ],
        balances: [
          { coin: 'USDC', token: 0, total: '5', hold: '1' },
          { coin: '+120', token: null, total: '10', hold: '0' },
        ],
        vaultUsd: '7.25',
        staked: '2',
        prices: [
          { key: '0', usd: '1' },
          { key: '+120', usd: '0.24975' },
          { key: '360', usd: '0.999' },
          { key: '150', usd: '40.5' },
        ],
      },
    ]);
  });

  it('have only prices that are at most 120 s old', () => {
    const { venue, send, emitted } = setUp();
    send(120_000);
    send(120_001);
    venue.frame('spotAssetCtxs', spotContexts('41'), 130_000);
    send(130_001);
    const keys = emitted().map(({ prices }) => prices.map(({ key }) => key));
    expect(keys).toEqual([['0', '+120', '360', '150'], ['0'], ['0', '360', '150']]);
    expect(emitted()[2]!.prices).toContainEqual({ key: '150', usd: '41' });
  });

  it('wait for every dex of the newest list, and for no other', () => {
    const { venue, send, emitted } = setUp();
    venue.answer({ type: 'perpDexs' }, [null, { name: 'xyz' }, { name: 'flx' }], 500);
    send(1_000);
    expect(emitted()).toEqual([]);
    venue.answer({ type: 'perpDexs' }, [null], 1_500);
    send(2_000);
    expect(emitted()[0]!.dexes.map(({ dex }) => dex)).toEqual(['']);
  });

  it('that lie more than 60 s apart are no acquisition', () => {
    const { send, emitted, venue, responses } = setUp();
    send(1_000, 5);
    const [request, body] = responses[5]!;
    venue.answer(request, JSON.stringify(body), 61_001);
    expect(emitted()).toEqual([]);
  });

  it('are a dead letter if one lacks a figure, and the next ones count', () => {
    const { venue, send, emitted, responses } = setUp();
    const [request] = responses[5]!;
    send(1_000, 5);
    venue.answer(request, { delegated: '1' }, 1_000);
    expect(venue.stage.deadLetters).toMatchObject([{ reason: 'malformed_answer' }]);
    expect(venue.stage.deadLetters[0]!.detail).toContain('delegatorSummary.undelegated');
    expect(emitted()).toEqual([]);
    venue.stage.restart();
    send(2_000);
    expect(emitted()).toHaveLength(1);
  });

  it.each([
    ['null for a dex', { type: 'clearinghouseState', user: USER, dex: 'xyz' }, 'null'],
    ['a truncated response', { type: 'spotClearinghouseState', user: USER }, '{"balances":['],
    ['no mode', { type: 'userAbstraction', user: USER }, 'null'],
  ])('fail as a whole, with a reason, for %s', (_, request, text) => {
    const { venue, send, emitted, responses } = setUp();
    venue.answer(request, text, 1_000);
    const isSame = (other: object) => JSON.stringify(other) === JSON.stringify(request);
    for (const [other, body] of responses) if (!isSame(other)) venue.answer(other, JSON.stringify(body), 1_000);
    expect(emitted()).toEqual([]);
    expect(venue.stage.emittedTo(failedAcquisitionTopics.venue_a)).toMatchObject([
      { account: ACCOUNT, receivedAt: START + 1_000, reason: expect.stringContaining(request.type) },
    ]);
    expect(venue.stage.deadLetters).toHaveLength(1);
    send(2_000);
    expect(emitted()).toHaveLength(1);
  });
});
