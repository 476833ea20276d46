/** Questions, proposals and resolutions of them as logs, and the phases that the stage emits for them. */
import { concat, keccak256, pad, stringToHex } from 'viem';
import { ADDRESS, type LogPlace, PRICE, requestOf, settlementLog } from './oracle-logs.fixture.ts';
import { type AnyRecord, accountOf, blockAt, hashOf, header, play, raw } from './venue-b.fixture.ts';

/** Account of a proposer. */
export const PROPOSER = accountOf('proposer');
const TEXT =
  'q: title: Will it rain?, description: “Rain”\nmeans rain.,initializer:91430cad2d3975766499717fa0d66a78d814e5c5';
/** Returns the market of a question by the formula of the contract. */
export const conditionOf = (oracle: string, questionId: string) =>
  keccak256(concat([oracle as `0x${string}`, questionId as `0x${string}`, pad('0x02', { size: 32 })]));
/** The question of that text. */
export const QUESTION = keccak256(stringToHex(TEXT));
/** Its market. */
export const CONDITION = conditionOf(ADDRESS.adapterV2, QUESTION);
/** A request for that question. */
export const REQUEST = requestOf(TEXT);
/** A request of which only the prepared question or the catalog names the market. */
export const NEG_RISK = requestOf(TEXT, { requester: ADDRESS.negRiskUma });
/** The question of that request, and its market. */
export const NEG_RISK_QUESTION = `${hashOf('a neg-risk market').slice(0, -2)}07`;
export const NEG_RISK_CONDITION = conditionOf(ADDRESS.negRiskAdapter, NEG_RISK_QUESTION);

/** Returns the position of a log in block 100. */
export const at = (change: Partial<LogPlace> = {}): LogPlace => ({ block: 100, tx: 'tx', logIndex: 3, ...change });
const proposed = { proposer: PROPOSER, proposedPrice: PRICE.yes, expirationTimestamp: 9n, currency: ADDRESS.none };
/** Builds the log of a proposal. */
export const propose = (change: Record<string, unknown> = {}, place: Partial<LogPlace> = {}) =>
  settlementLog('ProposePrice', { ...REQUEST, ...proposed, ...change }, at(place));
/** Builds the log of a resolution. */
export const resolve = (numerators: bigint[], place: Partial<LogPlace> = {}, slots = BigInt(numerators.length)) =>
  settlementLog(
    'ConditionResolution',
    { conditionId: CONDITION, oracle: ADDRESS.adapterV2, questionId: QUESTION, slots, payoutNumerators: numerators },
    at({ address: ADDRESS.tokens, ...place }),
  );
/** Builds the log that prepares the neg-risk question. */
export const prepare = (place: Partial<LogPlace> = {}, questionId = NEG_RISK_QUESTION) =>
  settlementLog(
    'QuestionPrepared',
    { marketId: hashOf('m'), questionId, requestId: QUESTION, index: 7n, data: '0x' },
    at({ address: ADDRESS.operator, logIndex: 1, ...place }),
  );
/** Builds an answer of the catalog with one market. */
export const market = (id: string, conditionId: string, change: Record<string, unknown> = {}) =>
  raw('gamma', blockAt(101), [
    {
      id,
      conditionId,
      clobTokenIds: '["11","22"]',
      outcomes: '["Yes","No"]',
      endDate: '2031-01-02T03:04:05Z',
      ...change,
    },
  ]);
/** Returns the phases that records cause after the header of block 100. */
export const phasesOf = (records: AnyRecord[], restarts = false) =>
  play([header(100), ...records], { restarts }).phases;
