import { describe, expect, it } from 'vitest';
import { accountFlowTopics, flowCoverageTopics } from '#schemas/topics/account-flows';
import { type CollateralChange, collateralChangeTopic } from '#schemas/topics/collateral-changes';
import { changeTopic } from '#schemas/topics/control';
import { change, OPERATOR, SEED } from '../organizations/organizations.fixture.ts';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createSeriesStage } from './stage.ts';

const ADDRESS = `0x${'b'.repeat(40)}`;
const ACCOUNT = `venue_b:${ADDRESS}`;
const BOUND_AT = 1_000;

function setUp() {
  const stage = driveStage(createSeriesStage());
  let commands = 0;
  const command = (type: string, body: object, receivedAt = BOUND_AT, as: typeof OPERATOR | null = OPERATOR) => {
    commands += 1;
    stage.feed(changeTopic, change(commands, type, body, { as, receivedAt }));
  };
  command('key.seed', SEED, BOUND_AT, null);
  const bind = (receivedAt = BOUND_AT) =>
    command(
      'wallet.bind',
      { walletId: `wal_${receivedAt}`, provider: 'venue_b', address: ADDRESS, label: '' },
      receivedAt,
    );
  const unbind = (receivedAt = BOUND_AT) => command('wallet.unbind', { walletId: `wal_${receivedAt}` });
  bind();
  const collateral = (fields: Partial<CollateralChange>) =>
    stage.feed(collateralChangeTopic, {
      account: ADDRESS,
      kind: 'changed',
      ledger: null,
      ts: 5_000,
      receivedAt: 6_000,
      txHash: '0xt',
      blockNumber: 7,
      blockHash: '0xb',
      usd: '12.5',
      ...fields,
    });
  const followed = (ledger: number, ts: number) =>
    collateral({ kind: 'followed', ledger, ts, txHash: null, blockNumber: null, blockHash: null, usd: null });
  return {
    stage,
    bind,
    unbind,
    collateral,
    followed,
    flows: () => stage.emittedTo(accountFlowTopics.venue_b),
    coverage: () => stage.emittedTo(flowCoverageTopics.venue_b),
  };
}

describe('the flows of an account of venue_b', () => {
  it('are unknown from the binding on, and known from the block after which ingest reads them', () => {
    const { stage, followed, coverage } = setUp();
    const none = { account: ACCOUNT, ledger: BOUND_AT, requestFrom: null, wantedPrices: [] };
    expect(coverage()).toEqual([{ ...none, receivedAt: BOUND_AT, knownFrom: null, knownThrough: 0 }]);
    followed(BOUND_AT, 4_000);
    stage.restart();
    // A restart of ingest states it again.
    followed(BOUND_AT, 9_000);
    expect(coverage().slice(1)).toEqual([{ ...none, receivedAt: 6_000, knownFrom: 4_000, knownThrough: null }]);
  });

  it('are known from the first block of a backfill on', () => {
    const { followed, coverage } = setUp();
    followed(BOUND_AT, 4_000);
    followed(BOUND_AT, 500);
    followed(BOUND_AT - 1, 100);
    expect(coverage().map(({ knownFrom }) => knownFrom)).toEqual([null, 4_000, 500]);
  });

  it('are deposits and withdrawals, each under its transaction, and removed when that is reverted', () => {
    const { collateral, flows } = setUp();
    collateral({});
    collateral({ txHash: '0xu', usd: '-3', ts: 5_500 });
    collateral({ kind: 'reverted' });
    const base = { account: ACCOUNT, ledger: BOUND_AT, receivedAt: 6_000, problem: null };
    const first = { ...base, id: '0xt', txHash: '0xt', ts: 5_000, kind: 'deposit', usd: '12.5' };
    expect(flows()).toEqual([
      { ...first, state: 'applied' },
      { ...base, id: '0xu', txHash: '0xu', ts: 5_500, kind: 'withdraw', usd: '-3', state: 'applied' },
      { ...first, state: 'removed' },
    ]);
  });

  it('of accounts that nobody binds are left out', () => {
    const { collateral, flows } = setUp();
    collateral({ account: `0x${'c'.repeat(40)}` });
    expect(flows()).toEqual([]);
  });

  it('end with the last binding, and begin anew with the next one', () => {
    const { stage, bind, unbind, followed, collateral, coverage, flows } = setUp();
    followed(BOUND_AT, 4_000);
    unbind();
    expect(stage.outputs).toContainEqual({ topic: flowCoverageTopics.venue_b.name, key: ACCOUNT, value: null });
    collateral({});
    expect(flows()).toEqual([]);
    bind(2_000);
    followed(BOUND_AT, 5_000);
    expect(coverage().at(-1)).toMatchObject({ ledger: 2_000, knownThrough: 0 });
    followed(2_000, 6_000);
    expect(coverage().at(-1)).toMatchObject({ ledger: 2_000, knownFrom: 6_000, knownThrough: null });
  });
});
