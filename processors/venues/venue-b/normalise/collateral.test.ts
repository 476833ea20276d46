import { describe, expect, it } from 'vitest';
import { CHAIN_EVENTS, COLLATERAL_TOKENS, CONDITIONAL_TOKENS, EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { accountTopic, type EmittedLog, wordOf } from '#schemas/venues/venue-b/oracle-logs';
import { logsOf, placed } from './position-logs.fixture.ts';
import { type AnyRecord, accountOf, blockAt, hashOf, header, type PlayOptions, play, raw } from './venue-b.fixture.ts';

const ALICE = accountOf('alice');
const BOB = accountOf('bob');
const { pUsd, usdcE } = COLLATERAL_TOKENS;

const sent = (from: string, to: string, units: bigint, token: string = pUsd): EmittedLog => ({
  address: token,
  topics: [CHAIN_EVENTS.transfer, accountTopic(from), accountTopic(to)],
  data: `0x${wordOf(units)}`,
});
const playAll = (records: readonly AnyRecord[], options?: PlayOptions) => {
  const { collateral, dead } = play(records, options);
  const brief = collateral.map(({ account, kind, usd }) => `${account === ALICE ? 'alice' : 'bob'} ${kind} ${usd}`);
  return { collateral, brief, dead };
};
const ofLogs = (logs: readonly EmittedLog[]) => playAll([header(100), ...logsOf(logs), header(101)]).brief;

describe('changes of collateral', () => {
  it('are the net change of an account in a transaction, with its place', () => {
    const { collateral } = playAll([
      header(100),
      ...logsOf([sent(BOB, ALICE, 7_000_000n), sent(ALICE, BOB, 2_500_000n)]),
      header(101),
    ]);
    expect(collateral.find(({ account }) => account === ALICE)).toEqual({
      account: ALICE,
      kind: 'changed',
      ledger: null,
      ts: blockAt(100),
      receivedAt: blockAt(100),
      txHash: hashOf('tx'),
      blockNumber: 100,
      blockHash: hashOf('100a'),
      usd: '4.5',
    });
    expect(collateral.find(({ account }) => account === BOB)).toMatchObject({ usd: '-4.5' });
  });

  it('leave out what is paid to and received from the contracts of the venue, and wrapping', () => {
    const wrapper = accountOf('wrapper');
    expect(ofLogs([sent(ALICE, EXCHANGES.ctfV2, 5n), sent(CONDITIONAL_TOKENS, ALICE, 9n)])).toEqual([]);
    const wrapped = ofLogs([sent(ALICE, wrapper, 5n, usdcE), sent(wrapper, ALICE, 5n)]);
    expect(wrapped).toEqual([]);
  });

  it('are each emitted once, also when the logs are repeated and the stage restarts', () => {
    const logs = logsOf([sent(BOB, ALICE, 7_000_000n)]);
    const { brief } = playAll([header(100), ...logs, ...logs, header(101), ...logs, header(102)], { restarts: true });
    expect(brief).toEqual(['bob changed -7', 'alice changed 7']);
  });

  it('are reverted with their block, and emitted again in another one', () => {
    const again = logsOf([sent(BOB, ALICE, 7_000_000n)], { fork: 'b' });
    const { brief } = playAll([
      header(99),
      header(100),
      ...logsOf([sent(BOB, ALICE, 7_000_000n)]),
      header(101),
      header(100, 'b', 'a'),
      ...again,
      header(101, 'b'),
    ]);
    expect(brief).toEqual([
      'bob changed -7',
      'alice changed 7',
      'alice reverted 7',
      'bob reverted -7',
      'bob changed -7',
      'alice changed 7',
    ]);
  });

  it('are reverted when the node removes a log of their transaction', () => {
    const log = sent(BOB, ALICE, 7_000_000n);
    const removed = raw('rpc', blockAt(101), { log: placed(log, { logIndex: 0, removed: true }) });
    const { brief } = playAll([header(100), ...logsOf([log]), header(101), removed]);
    expect(brief.slice(2)).toEqual(['bob reverted -7', 'alice reverted 7']);
  });

  it('that are malformed become dead letters', () => {
    const bad = { ...sent(BOB, ALICE, 1n), data: '0x01' };
    const { brief, dead } = playAll([
      header(100),
      ...logsOf([bad, sent(BOB, ALICE, 10n ** 30n)]),
      raw('rpc', blockAt(100), { collateral: [{ account: 'x', ledger: 1 }] }),
      raw('rpc', blockAt(100), { collateral: 5 }),
      header(101),
    ]);
    expect(brief).toEqual([]);
    expect(dead.map(({ reason }) => reason)).toEqual([
      'malformed_log',
      'malformed_log',
      'malformed_message',
      'malformed_message',
    ]);
  });

  it('are those of its account where a backfill found them, which also states from when on they are known', () => {
    const found = (block: number, logs: readonly EmittedLog[], more: object = {}) => {
      const number = `0x${block.toString(16)}`;
      const timestamp = `0x${(blockAt(block) / 1000).toString(16)}`;
      const message = {
        followedFrom: 100,
        block: { number, hash: hashOf(`${block}a`), timestamp },
        logs: logs.map((log, logIndex) => placed(log, { block, logIndex })),
        ...more,
      };
      const record = raw('history', blockAt(103), message);
      return { ...record, value: { ...(record.value as object), request: JSON.stringify({ wallet: ALICE }) } };
    };
    const log = sent(BOB, ALICE, 7_000_000n);
    const { brief, collateral, dead } = playAll([
      header(100),
      ...logsOf([log]),
      header(101),
      found(50, [sent(ALICE, BOB, 1_000_000n), sent(ALICE, EXCHANGES.ctfV2, 9n)]),
      found(100, [log]),
      found(40, [], { collateral: 77 }),
      found(41, [], { collateral: 'x' }),
    ]);
    expect(brief).toEqual(['bob changed -7', 'alice changed 7', 'alice changed -1', 'alice followed null']);
    expect(collateral.at(-2)).toMatchObject({ ts: blockAt(50), txHash: hashOf('tx'), blockNumber: 50 });
    expect(collateral.at(-1)).toMatchObject({ ts: blockAt(40), ledger: 77 });
    expect(dead.map(({ reason }) => reason)).toEqual(['malformed_history']);
  });

  it('are known from the newest block on once an account is followed', () => {
    const followed = (at: number) => raw('rpc', blockAt(at), { collateral: [{ account: ALICE, ledger: 77 }] });
    const { collateral, dead } = playAll([followed(99), header(100), followed(100)]);
    expect(dead.map(({ reason }) => reason)).toEqual(['malformed_message']);
    expect(collateral).toEqual([
      {
        account: ALICE,
        kind: 'followed',
        ledger: 77,
        ts: blockAt(100),
        receivedAt: blockAt(100),
        txHash: null,
        blockNumber: null,
        blockHash: null,
        usd: null,
      },
    ]);
  });
});
