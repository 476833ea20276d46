/**
 * Settlement logs that only the simulator encodes (venue page, section 8); encoders of the oracle's logs are shared.
 */
import { CONDITIONAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import { INITIALIZER, ORACLE_ADAPTER, type QuestionIds } from '../../world/question-ids.ts';
import { COLLATERAL, TOPIC } from './contracts.ts';
import type { LogBody } from './match-logs.ts';

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0');
const signedWord = (value: bigint): string => word(BigInt.asUintN(256, value));
/** The tokens have no parent collection. */
const NO_COLLECTION = `0x${word(0)}`;

/** Bond of proposer and disputer, and reward of the first correct proposal, in USD; the same as in the catalog. */
export const BOND_USD = 500;
export const REWARD_USD = 5;

/** `ConditionPreparation`: the market was created. */
export function conditionPreparation({ conditionId, oracle, questionId }: QuestionIds): LogBody {
  return {
    address: CONDITIONAL_TOKENS,
    topics: [TOPIC.conditionPreparation, conditionId, accountTopic(oracle), questionId],
    data: `0x${word(2)}`,
  };
}

/**
 * `QuestionInitialized` of the adapter: its request to the oracle.
 *
 * @param requestTimestamp unix seconds.
 */
export function questionInitialized(ids: QuestionIds, requestTimestamp: number, ancillary: string): LogBody {
  const bytes = Buffer.from(ancillary);
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0');
  // Four fixed fields, the first of which is the offset of the ancillary data, which follow with their length.
  const fields = [4 * 32, BigInt(COLLATERAL), REWARD_USD * 1e6, BOND_USD * 1e6, bytes.length].map(word);
  return {
    address: ORACLE_ADAPTER,
    topics: [TOPIC.questionInitialized, ids.questionId, `0x${word(requestTimestamp)}`, accountTopic(INITIALIZER)],
    data: `0x${fields.join('')}${padded}`,
  };
}

/** `QuestionReset` of the adapter. */
export function questionReset({ questionId }: QuestionIds): LogBody {
  return { address: ORACLE_ADAPTER, topics: [TOPIC.questionReset, questionId], data: '0x' };
}

/** `QuestionResolved` of the adapter, with the oracle's price and the payouts of YES and NO. */
export function questionResolved({ questionId }: QuestionIds, price: bigint, payouts: readonly number[]): LogBody {
  return {
    address: ORACLE_ADAPTER,
    topics: [TOPIC.questionResolved, questionId, `0x${signedWord(price)}`],
    data: `0x${word(32)}${word(payouts.length)}${payouts.map(word).join('')}`,
  };
}

/**
 * `PayoutRedemption`: an account redeems its tokens of both sides.
 *
 * @param payout units of 10^-6.
 */
export function payoutRedemption({ conditionId }: QuestionIds, account: string, payout: number): LogBody {
  return {
    address: CONDITIONAL_TOKENS,
    topics: [TOPIC.payoutRedemption, accountTopic(account), accountTopic(COLLATERAL), NO_COLLECTION],
    data: `0x${conditionId.slice(2)}${word(96)}${word(payout)}${word(2)}${word(1)}${word(2)}`,
  };
}
