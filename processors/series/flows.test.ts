import { describe, expect, it } from 'vitest';
import { accountFlowTopics, flowCoverageTopics } from '#schemas/topics/account-flows';
import { type Candle, venueCandleTopics } from '#schemas/topics/candles';
import { changeTopic } from '#schemas/topics/control';
import { type Instrument, instrumentTopics } from '#schemas/topics/normalised';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { ledgerUpdatesRequest } from '#schemas/venues/venue-a/ledger-updates';
import { change, OPERATOR, SEED } from '../organizations/organizations.fixture.ts';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createSeriesStage } from './stage.ts';

const ADDRESS = `0x${'a'.repeat(40)}`;
const ACCOUNT = `venue_a:${ADDRESS}`;
const HASH = '0xabc';
const BOUND_AT = 1_000;

const deposit = (time: number, usdc = '5') => ({ time, hash: HASH, delta: { type: 'deposit', usdc } });
const reward = (time: number) => ({ time, hash: HASH, delta: { type: 'rewardsClaim', token: 'HYPE', amount: '2' } });

function setUp() {
  const stage = driveStage(createSeriesStage());
  let commands = 0;
  const command = (type: string, body: object, as: typeof OPERATOR | null = OPERATOR) => {
    commands += 1;
    stage.feed(changeTopic, change(commands, type, body, { as, receivedAt: BOUND_AT }));
  };
  command('key.seed', SEED, null);
  command('wallet.bind', { walletId: 'wal_1', provider: 'venue_a', address: ADDRESS, label: '' });
  const answer = (
    from: number,
    updates: unknown,
    receivedAt: number,
    user = ADDRESS,
    requestedAt: number | null = receivedAt,
  ) => {
    const record = {
      provider: 'venue_a',
      stream: 'info',
      key: 'venue_a.info',
      receivedAt,
      requestedAt,
      request: JSON.stringify(ledgerUpdatesRequest(user, from)),
      payload: Buffer.from(JSON.stringify(updates)),
    };
    stage.feed(rawTopic('venue_a', 'info'), record as RawEnvelope);
  };
  /** Emitted flows as text, without what all have. */
  const flows = () =>
    stage
      .emittedTo(accountFlowTopics.venue_a)
      .map(({ id, kind, usd, problem, ledger }) => `${id} ${kind} ${usd ?? problem}${ledger === BOUND_AT ? '' : '!'}`);
  const coverage = () => stage.emittedTo(flowCoverageTopics.venue_a).at(-1)!;
  const unbind = () => command('wallet.unbind', { walletId: 'wal_1' });
  const pair = (coin: string, index: number) => {
    const fields = {
      provider: 'venue_a_perp',
      coin,
      index,
      kind: 'spot',
      base: 'HYPE',
      quote: 'USDC',
      delisted: false,
    };
    const rest = {
      sizeDecimals: 2,
      maxLeverage: null,
      dex: null,
      quoteDecimals: 8,
      canonical: true,
      tradesLeftOut: false,
    };
    stage.feed(instrumentTopics.venue_a, { ...fields, ...rest, receivedAt: 1 } as Instrument, { key: coin });
  };
  const bar = (coin: string, openTime: number, open: string, intervalMs = 60_000, receivedAt = 9_000) => {
    const figures = { open, high: '99', low: '1', close: '98', volume: '1', trades: 1 };
    const empty = { openTs: null, openArrival: null, closeTs: null, closeArrival: null };
    const fields = { provider: 'venue_a_perp', coin, openTime, receivedAt, source: 'official_api' };
    stage.feed(venueCandleTopics.venue_a, { ...fields, ...figures, ...empty, intervalMs } as Candle);
  };
  return { stage, answer, flows, coverage, unbind, pair, bar };
}

describe('the flows of an account of venue_a', () => {
  it('are unknown from the binding until the first complete response, and known up to it from then on', () => {
    const { answer, coverage } = setUp();
    const state = { account: ACCOUNT, ledger: BOUND_AT, knownFrom: null, wantedPrices: [] };
    expect(coverage()).toEqual({ ...state, receivedAt: BOUND_AT, knownThrough: 0, requestFrom: 0 });
    answer(0, [deposit(100), deposit(200)], 2_000);
    expect(coverage()).toEqual({ ...state, receivedAt: 2_000, knownThrough: 2_000, requestFrom: 200 });
  });

  it('are known up to the time at which the request was sent, or could have been sent', () => {
    const { answer, coverage } = setUp();
    answer(0, [], 20_000, ADDRESS, 19_500);
    expect(coverage()).toMatchObject({ receivedAt: 20_000, knownThrough: 19_500 });
    answer(0, [], 31_000, ADDRESS, null);
    expect(coverage()).toMatchObject({ receivedAt: 31_000, knownThrough: 21_000 });
  });

  it('are each written once, also where responses overlap within a millisecond', () => {
    const { stage, answer, flows } = setUp();
    answer(0, [deposit(100), deposit(200)], 2_000);
    stage.restart();
    answer(
      200,
      [deposit(200), deposit(200, '7'), { ...deposit(300), delta: { type: 'vaultDeposit', usdc: '1' } }],
      3_000,
    );
    answer(300, [{ ...deposit(300), delta: { type: 'vaultDeposit', usdc: '1' } }, deposit(400, '9')], 4_000);
    expect(flows()).toEqual([
      `100:${HASH}:0 deposit 5`,
      `200:${HASH}:0 deposit 5`,
      `200:${HASH}:1 deposit 7`,
      `400:${HASH}:0 deposit 9`,
    ]);
  });

  it('are complete only after the last page', () => {
    const { answer, coverage } = setUp();
    answer(
      0,
      Array.from({ length: 500 }, (_, at) => deposit(at + 1)),
      2_000,
    );
    expect(coverage()).toMatchObject({ knownThrough: 0, requestFrom: 500 });
    answer(600, [deposit(700)], 3_000);
    expect(coverage().requestFrom).toBe(500);
    answer(500, [deposit(500), deposit(600)], 4_000);
    expect(coverage()).toMatchObject({ knownThrough: 4_000, requestFrom: 600 });
  });

  it('that are rewards have the open of the bar of their time and of the first pair with USDC', () => {
    const { stage, answer, flows, coverage, pair, bar } = setUp();
    pair('@9', 9);
    pair('@7', 7);
    answer(0, [reward(60_001), reward(120_001)], 2_000);
    const wanted = (ts: number) => ({ coin: '@7', ts });
    expect(coverage().wantedPrices).toEqual([wanted(60_001), wanted(120_001)]);
    stage.restart();
    bar('@9', 60_000, '50');
    bar('@7', 0, '50');
    bar('@7', 60_000, '40.5');
    expect(flows()).toEqual([
      `60001:${HASH}:0 rewardsClaim flow_unpriced`,
      `120001:${HASH}:0 rewardsClaim flow_unpriced`,
      `60001:${HASH}:0 rewardsClaim 81`,
    ]);
    expect(coverage().wantedPrices).toEqual([wanted(120_001)]);
  });

  it('are priced by the shortest bar that the venue still stores, whatever bars a client reads', () => {
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
    const { answer, flows, pair, bar } = setUp();
    pair('@7', 7);
    answer(0, [reward(60_001)], 2_000);
    bar('@7', 0, '10', day);
    bar('@7', 0, '11', hour);
    const late = 5_001 * minute;
    bar('@7', minute, '12', minute, late);
    expect(flows()).toHaveLength(1);
    bar('@7', 0, '11', hour, late);
    expect(flows().at(-1)).toBe(`60001:${HASH}:0 rewardsClaim 22`);
  });

  it('of an unknown type are stored as unknown', () => {
    const { answer, flows } = setUp();
    answer(0, [{ ...deposit(100), delta: { type: 'newThing' } }], 2_000);
    expect(flows()).toEqual([`100:${HASH}:0 newThing flows_unknown`]);
  });

  it('do not change by a response of another shape, which becomes a dead letter, or about another account', () => {
    const { stage, answer, flows, coverage } = setUp();
    answer(0, [deposit(100), { time: 200 }], 2_000);
    answer(0, { error: 'no' }, 2_000);
    answer(0, [deposit(100, 'NaN')], 2_000);
    expect(stage.deadLetters.map(({ reason }) => reason)).toEqual([
      'malformed_answer',
      'malformed_answer',
      'malformed_answer',
    ]);
    answer(0, [deposit(100)], 2_000, `0x${'b'.repeat(40)}`);
    expect([flows(), coverage().knownThrough]).toEqual([[], 0]);
  });

  it('end with the last binding', () => {
    const { stage, answer, unbind } = setUp();
    answer(0, [reward(100)], 2_000);
    unbind();
    expect(stage.outputs.at(-1)).not.toBeUndefined();
    expect(stage.outputs).toContainEqual({ topic: flowCoverageTopics.venue_a.name, key: ACCOUNT, value: null });
    expect([stage.state.wanting.size, stage.state.followed.size]).toEqual([0, 0]);
  });
});
