/** How a request of the oracle names its market (venue page, section 8). */
import { concatHex, type Hex, keccak256, numberToHex } from 'viem';
import { NEG_RISK_ADAPTER } from '#schemas/venues/venue-b/contracts';
import type { OracleLog } from './oracle-log.ts';

/** What of a request leads to its market. */
export interface OracleRequestIds {
  /** keccak256 of the ancillary data: the question of a standard adapter, the request of a neg-risk one. */
  readonly questionId: string;
  /** `market_id: <n>` in the ancillary text; null without. */
  readonly gammaId: string | null;
  /** By the formula; null for a neg-risk requester, where the formula gives an id that no market has. */
  readonly conditionId: string | null;
}

const OUTCOME_SLOTS = numberToHex(2, { size: 32 });

/** keccak256(oracle ‖ question id ‖ 2): the condition that this oracle decides. */
export function conditionIdOf(oracle: string, questionId: string): string {
  return keccak256(concatHex([oracle as Hex, questionId as Hex, OUTCOME_SLOTS]));
}

/** The condition of a neg-risk question: its oracle is the neg-risk adapter, whoever asked. */
export function negRiskConditionIdOf(questionId: string): string {
  return conditionIdOf(NEG_RISK_ADAPTER, questionId);
}

export function idsOf({ requester, isNegRisk, ancillaryData }: OracleLog): OracleRequestIds {
  const questionId = keccak256(ancillaryData);
  return {
    questionId,
    gammaId: gammaIdIn(Buffer.from(ancillaryData.slice(2), 'hex').toString()),
    conditionId: isNegRisk ? null : conditionIdOf(requester, questionId),
  };
}

/** The last one: the description stands before it and may say anything. */
function gammaIdIn(text: string): string | null {
  return [...text.matchAll(/market_id:\s*(\d{1,20})/g)].at(-1)?.[1] ?? null;
}
