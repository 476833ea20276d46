import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  COLLATERAL_ADAPTERS,
  CONDITIONAL_TOKENS,
  EXCHANGES,
  NEG_RISK_ADAPTER,
} from '#schemas/venues/venue-b/contracts';
import type { EmittedLog } from '#schemas/venues/venue-b/oracle-logs';
import {
  encodeConversion,
  encodeNegRiskAction,
  encodeTokenAction,
  encodeTokenTransfer,
} from '#schemas/venues/venue-b/position-logs';
import { negRiskConditionIdOf } from './oracle-ids.ts';
import { logsOf, placed } from './position-logs.fixture.ts';
import {
  accountOf,
  blockAt,
  hashOf,
  header,
  headers,
  type PlayOptions,
  play,
  raw,
  sharedPath,
} from './venue-b.fixture.ts';

const [CTF_ADAPTER, NEG_RISK_COLLATERAL] = COLLATERAL_ADAPTERS;
const CONDITION = hashOf('condition');
const ALICE = accountOf('alice');
const BOB = accountOf('bob');
const ZERO = `0x${'0'.repeat(40)}`;

const pair = (units: bigint) => [
  { token: '1', units },
  { token: '2', units },
];
const moved = (from: string, to: string, items: { token: string; units: bigint }[]) =>
  encodeTokenTransfer({ operator: CTF_ADAPTER, from, to }, items);
const action = (kind: 'split' | 'merge', stakeholder: string, units = 5_000_000n) =>
  encodeTokenAction(kind, { stakeholder, conditionId: CONDITION, units });

const playLogs = (logs: readonly EmittedLog[], options?: PlayOptions) =>
  play([header(100), ...logsOf(logs), header(101)], options);
const brief = (logs: readonly EmittedLog[]) =>
  playLogs(logs).moves.map(({ kind, account, qty, logIndex }) => [kind, account, qty, logIndex]);

describe('a move of an account itself', () => {
  it('is emitted as pending, with its place', () => {
    expect(playLogs([action('split', ALICE)]).moves).toEqual([
      {
        id: `venue_b:${hashOf('tx')}:0`,
        account: ALICE,
        kind: 'split',
        marketIds: [CONDITION],
        received: [],
        qty: '5',
        ts: blockAt(100),
        receivedAt: blockAt(100),
        arrival: 1,
        txHash: hashOf('tx'),
        logIndex: 0,
        blockNumber: 100,
        blockHash: hashOf('100a'),
        status: 'pending',
      },
    ]);
  });

  it('is read from the token contract and from the neg-risk adapter, whose inner logs are left out', () => {
    const outer = { stakeholder: ALICE, conditionId: CONDITION, units: 7_000_000n };
    const logs = [action('merge', NEG_RISK_ADAPTER), encodeNegRiskAction('merge', outer), action('merge', BOB)];
    expect(brief(logs)).toEqual([
      ['merge', ALICE, '7', 1],
      ['merge', BOB, '5', 2],
    ]);
  });

  it('converts the NO tokens of its questions to the YES tokens that the adapter gave', () => {
    const marketId = `${hashOf('market').slice(0, -2)}00`;
    const units = 2_000_000n;
    const { moves } = playLogs([
      encodeTokenTransfer({ operator: NEG_RISK_ADAPTER, from: NEG_RISK_ADAPTER, to: ALICE }, [
        { token: '31', units },
        { token: '41', units },
      ]),
      encodeConversion({ stakeholder: ALICE, marketId, indexSet: 0b1001n, units }),
    ]);
    const question = (nth: number) => negRiskConditionIdOf(`${marketId.slice(0, -2)}0${nth}`);
    expect(moves[0]).toMatchObject({
      kind: 'convert',
      account: ALICE,
      marketIds: [question(0), question(3)],
      received: [
        { instrument: '31', marketId: null },
        { instrument: '41', marketId: null },
      ],
      qty: '2',
    });
  });

  it('is left out where the position is below another or a part of a set', () => {
    const below = action('split', ALICE);
    const nested = { ...below, topics: [...below.topics.slice(0, 2), hashOf('parent'), CONDITION] };
    const part = { ...below, data: below.data.replace(/2$/, '6') };
    expect(playLogs([nested, part])).toMatchObject({ moves: [], dead: [] });
  });
});

describe('a move through an adapter', () => {
  it('belongs to the account on the other side of the transfers', () => {
    const logs = [
      moved(ALICE, CTF_ADAPTER, pair(3_000_000n)),
      moved(CTF_ADAPTER, ZERO, pair(3_000_000n)),
      action('merge', CTF_ADAPTER, 3_000_000n),
      moved(ZERO, CTF_ADAPTER, pair(5_000_000n)),
      action('split', CTF_ADAPTER),
      moved(CTF_ADAPTER, BOB, pair(5_000_000n)),
      action('split', CTF_ADAPTER, 1n),
      moved(CTF_ADAPTER, ALICE, pair(1n)),
    ];
    expect(brief(logs)).toEqual([
      ['merge', ALICE, '3', 2],
      ['split', BOB, '5', 4],
      ['split', ALICE, '0.000001', 6],
    ]);
  });

  it('is left out if it is an exchange, which mints for a trade', () => {
    const minted = [action('split', CTF_ADAPTER), moved(CTF_ADAPTER, EXCHANGES.ctfV2, pair(5_000_000n))];
    expect(playLogs([...minted, action('split', EXCHANGES.ctfV1)])).toMatchObject({ moves: [], dead: [] });
  });

  it('converts what the account sent, also where no YES token is left', () => {
    const units = 4_000_000n;
    const convert = (indexSet: bigint) =>
      encodeConversion({ stakeholder: NEG_RISK_COLLATERAL!, marketId: hashOf('market'), indexSet, units });
    const sent = (tokens: string[]) =>
      moved(
        ALICE,
        NEG_RISK_COLLATERAL!,
        tokens.map((token) => ({ token, units })),
      );
    const { moves, dead } = playLogs([
      sent(['12', '22']),
      convert(0b11n),
      sent(['32']),
      moved(NEG_RISK_ADAPTER, NEG_RISK_COLLATERAL!, [{ token: '11', units }]),
      convert(0b100n),
      moved(NEG_RISK_COLLATERAL!, ALICE, [
        { token: '11', units },
        { token: '21', units },
      ]),
    ]);
    expect(dead).toEqual([]);
    expect(moves.map(({ account, marketIds, received }) => [account, marketIds.length, received.length])).toEqual([
      [ALICE, 2, 0],
      [ALICE, 1, 2],
    ]);
  });

  it('is its own if no tokens moved', () => {
    expect(brief([action('split', CTF_ADAPTER)])).toEqual([['split', CTF_ADAPTER, '5', 0]]);
  });

  it.each([
    ['two accounts', [moved(CTF_ADAPTER, ALICE, pair(5_000_000n).slice(1)), moved(CTF_ADAPTER, BOB, pair(5_000_000n))]],
    ['another amount', [moved(CTF_ADAPTER, ALICE, pair(4_000_000n))]],
    ['one token', [moved(CTF_ADAPTER, ALICE, pair(5_000_000n).slice(1))]],
  ])('is a dead letter if it concerns %s', (_, transfers) => {
    const { moves, dead } = playLogs([action('split', CTF_ADAPTER), ...transfers, action('split', BOB)]);
    expect([moves.map(({ account }) => account), dead.map(({ reason }) => reason)]).toEqual([
      [BOB],
      ['unattributed_move'],
    ]);
  });
});

describe('reorganisations', () => {
  const split = logsOf([action('split', ALICE)]);
  const statuses = (records: Parameters<typeof play>[0], options?: PlayOptions) =>
    play(records, options).moves.map(({ status, arrival, blockHash }) => [status, arrival, blockHash]);

  it('a move is confirmed when its block is deep enough, and a repeated log changes nothing', () => {
    for (const restarts of [false, true])
      expect(statuses([header(100), ...split, ...split, ...headers(101, 103)], { confirmations: 2, restarts })).toEqual(
        [
          ['pending', 1, hashOf('100a')],
          ['confirmed', 1, hashOf('100a')],
        ],
      );
  });

  it('a move is reverted with its block, and included again as a new one', () => {
    const again = logsOf([action('split', ALICE)], { block: 101, fork: 'b' });
    const records = [header(99), header(100), ...split, header(101), header(100, 'b', 'a'), header(101, 'b'), ...again];
    expect(statuses([...records, header(102, 'b')])).toEqual([
      ['pending', 1, hashOf('100a')],
      ['reverted', 1, hashOf('100a')],
      ['pending', 2, hashOf('101b')],
    ]);
  });

  it('a log that the node removes reverts its move, or is left out of the open transaction', () => {
    const removed = logsOf([action('split', ALICE)], { removed: true });
    expect(statuses([header(100), ...split, header(101), ...removed])).toEqual([
      ['pending', 1, hashOf('100a')],
      ['reverted', 1, hashOf('100a')],
    ]);
    expect(statuses([header(100), ...split, ...removed, header(101)])).toEqual([]);
  });
});

describe('malformed logs', () => {
  const split = action('split', ALICE);
  const word = (at: number, value: string) =>
    `${split.data.slice(0, 2 + at * 64)}${value.padStart(64, '0')}${split.data.slice(2 + (at + 1) * 64)}`;
  const batch = moved(ALICE, CTF_ADAPTER, pair(1n));
  it.each([
    ['an amount of 0', { ...split, data: word(2, '0') }, 'zero_quantity'],
    ['an amount above all collateral', { ...split, data: word(2, 'f'.repeat(64)) }, 'malformed_log'],
    ['data that is cut off', { ...split, data: split.data.slice(0, -64) }, 'malformed_log'],
    ['very many parts', { ...split, data: word(3, 'ffffffff') }, 'malformed_log'],
    ['a stakeholder that is no address', { ...split, topics: [split.topics[0]!, hashOf('x')] }, 'malformed_log'],
    ['a transfer with fewer amounts', { ...batch, data: batch.data.slice(0, -64) }, 'malformed_log'],
    [
      'a conversion of nothing',
      encodeConversion({ stakeholder: ALICE, marketId: CONDITION, indexSet: 0n, units: 1n }),
      'malformed_log',
    ],
  ])('%s is a dead letter', (_, log, reason) => {
    const { moves, dead } = playLogs([log]);
    expect([moves, dead.map((each) => each.reason)]).toEqual([[], [reason]]);
  });

  it('a log of a block that is not stored is a dead letter', () => {
    expect(play([header(100), ...logsOf([split], { block: 99 })]).dead.map(({ reason }) => reason)).toEqual([
      'log_of_unknown_block',
    ]);
  });
});

const recorded = sharedPath('data/venue_b/logs/raw_logs.json');
describe.skipIf(!recorded)('recorded logs', () => {
  const logs = recorded
    ? (JSON.parse(readFileSync(recorded, 'utf8')) as { name: string; log: EmittedLog & Record<string, unknown> }[])
    : [];
  const named = (name: string) => logs.find((each) => each.name === name)!.log;
  const at = (log: EmittedLog, logIndex: number) => raw('rpc', blockAt(100), { log: placed(log, { logIndex }) });

  it('a split of 20 USDC.e by an account', () => {
    const { moves } = play([header(100), at(named('ctf_position_split'), 1), header(101)]);
    expect(moves.map(({ kind, account, qty, marketIds }) => [kind, account, qty, marketIds])).toEqual([
      [
        'split',
        '0x20d2309cd92b797ae7ca175ed828ed8a27fbe29d',
        '20',
        ['0xb907d819a95244f9e19dc779e3db2a33133a864d22e9ce222d09a16b48759f49'],
      ],
    ]);
  });

  it('a merge and a conversion by adapters, for whoever sent the tokens', () => {
    const merge = named('ctf_positions_merge');
    const convert = named('neg_risk_positions_converted');
    const units = 10_000_000n;
    const { moves, dead } = play([
      header(100),
      at(encodeTokenTransfer({ operator: ALICE, from: ALICE, to: COLLATERAL_ADAPTERS[2] }, pair(21_120_000n)), 1),
      at(merge, 2),
      at(encodeTokenTransfer({ operator: BOB, from: BOB, to: NEG_RISK_COLLATERAL! }, [{ token: '9', units }]), 3),
      at(convert, 4),
      header(101),
    ]);
    expect(dead).toEqual([]);
    expect(moves.map(({ kind, account, qty }) => [kind, account, qty])).toEqual([
      ['merge', ALICE, '21.12'],
      ['convert', BOB, '10'],
    ]);
  });

  it('a redemption moves tokens to an adapter and is no move', () => {
    const logs = [
      named('erc1155_transfer_batch'),
      named('erc1155_transfer_single_burn'),
      named('ctf_payout_redemption'),
    ];
    const { moves, dead } = play([header(100), ...logs.map((log, nth) => at(log, nth)), header(101)]);
    expect([moves, dead]).toEqual([[], []]);
    expect(logs[0]!.address).toBe(CONDITIONAL_TOKENS);
  });
});
