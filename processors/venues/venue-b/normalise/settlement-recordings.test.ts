/** Tests with recorded logs, recorded ids and the recorded history of one disputed market of the venue. */
import { readFileSync } from 'node:fs';
import { keccak256, stringToHex, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { DisputePhase } from '#schemas/topics/oracle';
import { conditionIdOf, negRiskConditionIdOf } from './oracle-ids.ts';
import { ADDRESS, type OracleEvent, PRICE, requestOf, settlementLog } from './oracle-logs.fixture.ts';
import { type AnyRecord, hashOf, header, play, raw, sharedPath } from './venue-b.fixture.ts';

const RAW_LOGS = sharedPath('data/venue_b/logs/raw_logs.json');
const CONDITIONS = sharedPath('data/venue_b/oracle/condition_oracle_map.csv');
const DISPUTED = sharedPath('data/venue_b/oracle/disputed_requests.csv');
const TIMELINE = sharedPath('data/venue_b/oracle/uma_event_timeline_zelensky_suit.csv');
const reason = 'the recorded material is not on this machine (PARALLAX_SHARED)';

type Row = Readonly<Record<string, string>>;

/** Reads the rows of a CSV file; a field in quotes may contain commas. */
function rowsOf(path: string): Row[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split(/\r?\n/);
  const cells = (line: string) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)!.map((cell) => cell.replace(/,$/, ''));
  const names = cells(head);
  return lines.map((line) => Object.fromEntries(cells(line).map((cell, at) => [names[at] ?? '', cell])));
}

describe.skipIf(!RAW_LOGS)(`recorded logs${RAW_LOGS ? '' : `: ${reason}`}`, () => {
  const logOf = (name: string) => {
    const found = JSON.parse(readFileSync(RAW_LOGS!, 'utf8')).find((entry: Row) => entry.name === name);
    const { log } = found;
    const blockHash = log.blockHash ?? keccak256('0x01');
    const block = { number: log.blockNumber, hash: blockHash, parentHash: keccak256('0x'), timestamp: '0x6a64696e' };
    return { ...found, records: [raw('rpc', 1, { block }), raw('rpc', 2, { log: { ...log, blockHash } })] };
  };

  it('resolve the condition that they name', () => {
    const { records, decoded, log } = logOf('ctf_condition_resolution');
    const { resolutions, dead } = play(records);
    expect(dead).toEqual([]);
    expect(resolutions).toMatchObject([
      { marketId: decoded.args.conditionId, payouts: ['1', '0'], resolvedAt: 0x6a64696e * 1000, logIndex: 600 },
    ]);
    expect(resolutions[0]?.id).toBe(`venue_b:${log.transactionHash}:600`);
    expect(conditionIdOf(decoded.args.oracle, decoded.args.questionId)).toBe(decoded.args.conditionId);
  });

  it('propose for the market in the text, never for the one that the formula gives for a neg-risk request', () => {
    const { records, decoded } = logOf('uma_propose_price_neg_risk');
    const { requester, proposer, timestamp } = decoded.args;
    const unknown = play(records).phases;
    expect(unknown).toMatchObject([
      { marketId: null, questionId: decoded.keccakOfAncillary, phase: 'propose', price: '0', proposer, disputer: null },
    ]);
    expect(unknown[0]?.requestTimestamp).toBe(Number(timestamp));
    expect(conditionIdOf(requester, decoded.keccakOfAncillary)).toBe(decoded.naiveConditionId);
    const catalog = raw('gamma', 3, [{ id: decoded.venueMarketId, conditionId: decoded.venueConditionId }]);
    for (const order of [
      [catalog, ...records],
      [...records, catalog],
    ]) {
      expect(play(order).phases.at(-1)?.marketId).toBe(decoded.venueConditionId);
    }
  });
});

describe.skipIf(!CONDITIONS)(`recorded conditions${CONDITIONS ? '' : `: ${reason}`}`, () => {
  const rows = CONDITIONS ? rowsOf(CONDITIONS) : [];
  const negRisk = rows.filter(({ neg_risk_market_id }) => neg_risk_market_id);

  it('are all derived from their oracle and question', () => {
    expect(rows).toHaveLength(150);
    for (const row of rows) expect(conditionIdOf(row.oracle_address!, row.question_id!)).toBe(row.condition_id);
  });

  it('of neg-risk questions are linked to their request by the log that prepares them', () => {
    expect(negRisk).toHaveLength(135);
    for (const { question_id, condition_id } of negRisk) expect(negRiskConditionIdOf(question_id!)).toBe(condition_id);
    const prepared = negRisk.map((row, at) =>
      settlementLog(
        'QuestionPrepared',
        {
          marketId: row.neg_risk_market_id,
          questionId: row.question_id,
          requestId: row.neg_risk_request_id,
          index: BigInt(`0x${row.question_id!.slice(-2)}`),
          data: '0x',
        },
        { block: 100, tx: `${at}`, logIndex: at, address: ADDRESS.operator },
      ),
    );
    const { state, dead } = play([header(100), ...prepared]);
    expect(dead).toEqual([]);
    for (const { neg_risk_request_id, condition_id } of negRisk) {
      expect(state.phases.prepared.get(neg_risk_request_id!)?.conditionId).toBe(condition_id);
    }
  });
});

it.skipIf(!DISPUTED)(`recorded disputed requests name their conditions${DISPUTED ? '' : `: ${reason}`}`, () => {
  const requesters: Record<string, string> = {
    uma_adapter_v2: ADDRESS.adapterV2,
    uma_adapter_v3: '0x157ce2d672854c848c9b79c49a8cc6cc89176a49',
    managed_adapter_main: ADDRESS.adapterV4,
  };
  const rows = rowsOf(DISPUTED!).filter(({ condition_derives }) => condition_derives === 'yes');
  expect(rows.length).toBeGreaterThan(500);
  for (const { requester, ancillary_hash, condition_id } of rows) {
    expect(conditionIdOf(requesters[requester!]!, ancillary_hash!)).toBe(condition_id);
  }
});

describe.skipIf(!TIMELINE)(`the recorded history of a disputed market${TIMELINE ? '' : `: ${reason}`}`, () => {
  const rows = TIMELINE ? rowsOf(TIMELINE) : [];
  // The source has only the hash of the text; the end of this text is the same as on the chain.
  const text = 'q: title: Will Zelenskyy wear a suit before July?,initializer:91430cad2d3975766499717fa0d66a78d814e5c5';
  const questionId = keccak256(stringToHex(text));
  const conditionId = conditionIdOf(ADDRESS.adapterV2, questionId);
  /** Parses an answer in the source's form: `1e+18`, `0.0`, `-5789…`. */
  const priceOf = (written: string) => (written.startsWith('-') ? PRICE.ignore : BigInt(Number(written)));
  const hashAt = (number: number, fork: string) => hashOf(`${number}${fork}`);
  const proposalOf = (timestamp: string) =>
    rows.find((row) => row.event === 'ProposePrice' && row.request_timestamp === timestamp)!;
  const disputerOf = (timestamp: string) =>
    rows.find((row) => row.event === 'DisputePrice' && row.request_timestamp === timestamp)!.disputer;

  /** Builds the log of a row; fields that the source lacks come from the other rows of the request, as on the chain. */
  function logOf(row: Row, fork: string): AnyRecord {
    const timestamp = row.request_timestamp!;
    const proposal = row.event === 'RequestPrice' ? {} : proposalOf(timestamp);
    const args = {
      ...requestOf(text, { timestamp: Number(timestamp) }),
      proposer: proposal.proposer,
      disputer: row.event === 'RequestPrice' ? undefined : disputerOf(timestamp),
      proposedPrice: proposal.proposed_price === undefined ? 0n : priceOf(proposal.proposed_price),
      price: row.price ? priceOf(row.price) : 0n,
      payout: 1_000_000_000n,
      expirationTimestamp: BigInt(timestamp) + 7_200n,
      currency: ADDRESS.none,
      reward: 5_000_000n,
      finalFee: 0n,
    };
    const block = Number(row.block);
    const place = { block, fork, tx: row.tx!, logIndex: rows.indexOf(row) };
    return settlementLog(row.event as OracleEvent, args, place);
  }

  /** Builds blocks with their logs; with `reorganized` each comes first on another fork, which is dropped. */
  function blocksWith(reorganized: boolean): AnyRecord[] {
    const numbers = [...new Set(rows.map(({ block }) => Number(block)))];
    return numbers.flatMap((number) => {
      const own = rows.filter(({ block }) => Number(block) === number);
      const timestamp = toHex(Number(own[0]!.block_timestamp));
      return (reorganized ? ['b', 'a'] : ['a']).flatMap((fork) => {
        const block = { number: toHex(number), hash: hashAt(number, fork), parentHash: hashAt(number, 'p'), timestamp };
        return [raw('rpc', Number(timestamp) * 1000, { block }), ...own.map((row) => logOf(row, fork))];
      });
    });
  }

  const brief = (phase: DisputePhase) => `${phase.requestTimestamp} ${phase.phase} ${phase.price}`;
  const expected = [
    '1747953044 propose 1',
    '1747953044 dispute 1',
    '1748547313 propose 1',
    '1748547313 dispute 1',
    '1747953044 settle ignore',
    '1748547313 settle ignore',
    '1750885128 propose 1',
    '1750885128 dispute 1',
    '1750885128 settle ignore',
    '1751182150 propose 1',
    '1751182150 dispute 1',
    '1751182150 settle ignore',
    '1751675274 propose 0',
    '1751675274 dispute 0',
    '1751675274 settle 0',
  ];

  it('is emitted in order for its market: five requests, five disputes, four ignored answers, one valid answer', () => {
    const { phases, dead, resolutions } = play(blocksWith(false), { restarts: true });
    expect({ dead, resolutions }).toEqual({ dead: [], resolutions: [] });
    const first = phases.filter(({ status }) => status === 'pending');
    expect(first.map(brief)).toEqual(expected);
    for (const phase of phases) expect(phase).toMatchObject({ marketId: conditionId, questionId });
    const steps = rows.filter(({ event }) => event !== 'RequestPrice');
    expect(first.map(({ txHash, ts, blockNumber }) => [txHash, ts / 1000, blockNumber])).toEqual(
      steps.map(({ tx, block_timestamp, block }) => [tx, Number(block_timestamp), Number(block)]),
    );
    // No block follows the last one, so it is not confirmed.
    expect(phases.filter(({ status }) => status === 'confirmed').map(brief)).toEqual(expected.slice(0, -1));
  });

  it('is the same if every block of it was reorganized', () => {
    const { phases } = play(blocksWith(true), { restarts: true });
    expect(phases.filter(({ status }) => status === 'reverted').map(brief)).toEqual(expected);
    const newest = new Map<string, DisputePhase>();
    for (const phase of phases) newest.set(phase.id, phase);
    const surviving = [...newest.values()].filter(({ status }) => status !== 'reverted');
    expect(surviving.map(brief)).toEqual(expected);
    for (const { blockHash, blockNumber } of surviving) expect(blockHash).toBe(hashAt(blockNumber, 'a'));
  });
});
