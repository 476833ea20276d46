/** Derives the market of an oracle request from its ids (venue page, section 8). */
import { concatHex, type Hex, keccak256, numberToHex } from 'viem';
import { NEG_RISK_ADAPTER } from '#schemas/venues/venue-b/contracts';
import type { OracleLog } from './oracle-log.ts';

/** Ids of a request that lead to its market. */
export interface OracleRequestIds {
  /** keccak256 of the ancillary data: the question id of a standard adapter, the request id of a neg-risk adapter. */
  readonly questionId: string;
  /** `<n>` of `market_id: <n>` in the ancillary text; null if there is none. */
  readonly gammaId: string | null;
  /** Computed by `conditionIdOf`; null for a neg-risk requester, where the result is an id that no market has. */
  readonly conditionId: string | null;
}

const OUTCOME_SLOTS = numberToHex(2, { size: 32 });

/** Returns keccak256(oracle ‖ question id ‖ 2): the condition that this oracle resolves. */
export function conditionIdOf(oracle: string, questionId: string): string {
  return keccak256(concatHex([oracle as Hex, questionId as Hex, OUTCOME_SLOTS]));
}

/** Returns the condition of a neg-risk question: its oracle is the neg-risk adapter, whoever sent the request. */
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

/** Returns the last match: the description comes before it and may contain any text. */
function gammaIdIn(text: string): string | null {
  return [...text.matchAll(/market_id:\s*(\d{1,20})/g)].at(-1)?.[1] ?? null;
}
