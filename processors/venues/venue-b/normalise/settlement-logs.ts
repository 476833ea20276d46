/** Decodes ConditionResolution of the token contract and QuestionPrepared of the neg-risk operators. */
import { type Decimal, divide, formatDecimal } from '#schemas/domain/decimal';
import { CHAIN_EVENTS, CONDITIONAL_TOKENS, NEG_RISK_OPERATORS } from '#schemas/venues/venue-b/contracts';
import { MalformedError } from '../../shared/malformed.ts';
import type { ChainLog } from './chain-message.ts';
import { abiData, hash, word } from './hex.ts';
import { negRiskConditionIdOf } from './oracle-ids.ts';

const CODE = 'malformed_log';
const OPERATORS: ReadonlySet<string> = new Set(Object.values(NEG_RISK_OPERATORS));
/** Yes and no, as in every market of the venue. The token contract also serves other projects. */
const SLOTS = 2;

export function isConditionResolution(log: ChainLog): boolean {
  return log.address === CONDITIONAL_TOKENS && log.topics[0] === CHAIN_EVENTS.conditionResolution;
}

export interface ConditionResolution {
  readonly conditionId: string;
  /** Numerator / sum of numerators for each outcome slot, 18 decimals; slots have the order of the market's tokens. */
  readonly payouts: readonly [string, string];
}

/**
 * Decodes a log for which `isConditionResolution` holds. Words: slots, offset, count, numerators. Throws
 * `MalformedError`: `unsupported_slots` for a condition without exactly two outcomes, else `malformed_log`.
 */
export function decodeConditionResolution(log: ChainLog): ConditionResolution {
  const conditionId = hash(log.topics[1], 'topics[1]', CODE);
  const head = abiData(log.data, 3, CODE);
  const [slots, offset, count] = [word(head, 0), word(head, 1), word(head, 2)];
  if (slots !== BigInt(SLOTS))
    throw new MalformedError('unsupported_slots', `condition ${conditionId}: ${slots} slots`);
  if (offset !== 64n || count !== slots)
    throw new MalformedError(CODE, `condition ${conditionId}: ${count} numerators at ${offset}`);
  const data = abiData(log.data, 3 + SLOTS, CODE);
  const first = word(data, 3);
  const sum = first + word(data, 4);
  if (sum === 0n) throw new MalformedError(CODE, `condition ${conditionId}: numerators are all 0`);
  const share = (numerator: bigint) => formatDecimal(divide(numerator as Decimal, sum as Decimal));
  return { conditionId, payouts: [share(first), share(sum - first)] };
}

export function isQuestionPrepared(log: ChainLog): boolean {
  return OPERATORS.has(log.address) && log.topics[0] === CHAIN_EVENTS.questionPrepared;
}

/** Decodes a log for which `isQuestionPrepared` holds. Topics: market, question, request. Throws `MalformedError`. */
export function decodeQuestionPrepared(log: ChainLog): { readonly requestId: string; readonly conditionId: string } {
  return {
    requestId: hash(log.topics[3], 'topics[3]', CODE),
    conditionId: negRiskConditionIdOf(hash(log.topics[2], 'topics[2]', CODE)),
  };
}
