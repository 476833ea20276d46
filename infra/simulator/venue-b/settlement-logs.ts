/** Logs around a market's end that only the simulator writes (venue page, section 8); the oracle's own are shared. */
import { CONDITIONAL_TOKENS } from '#schemas/venues/venue-b/contracts';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import { INITIALIZER, ORACLE_ADAPTER, type QuestionIds } from '../world/question-ids.ts';
import { COLLATERAL, TOPIC } from './contracts.ts';
import type { LogBody } from './match-logs.ts';

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0');
const signedWord = (value: bigint): string => word(BigInt.asUintN(256, value));
/** The tokens hang below no other condition. */
const NO_COLLECTION = `0x${word(0)}`;

/** USD that proposer and disputer each put in, and that the first right proposal earns; as the catalog tells them. */
export const BOND_USD = 500;
export const REWARD_USD = 5;

/** `ConditionPreparation`: the market exists. */
export function conditionPreparation({ conditionId, oracle, questionId }: QuestionIds): LogBody {
  return {
    address: CONDITIONAL_TOKENS,
    topics: [TOPIC.conditionPreparation, conditionId, accountTopic(oracle), questionId],
    data: `0x${word(2)}`,
  };
}

/** `QuestionInitialized` of the adapter: what it asks the oracle. @param requestTimestamp unix seconds */
export function questionInitialized(ids: QuestionIds, requestTimestamp: number, ancillary: string): LogBody {
  const bytes = Buffer.from(ancillary);
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0');
  // Four fixed fields, the first of which tells where the ancillary data begin: behind them, with their length.
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

/** `PayoutRedemption`: an account hands in its tokens of both sides. @param payout units of 10^-6 */
export function payoutRedemption({ conditionId }: QuestionIds, account: string, payout: number): LogBody {
  return {
    address: CONDITIONAL_TOKENS,
    topics: [TOPIC.payoutRedemption, accountTopic(account), accountTopic(COLLATERAL), NO_COLLECTION],
    data: `0x${conditionId.slice(2)}${word(96)}${word(payout)}${word(2)}${word(1)}${word(2)}`,
  };
}
