import { concatHex, hexToBigInt, keccak256, numberToHex, stringToBytes } from 'viem';
import { STANDARD_ADAPTERS } from '#schemas/venues/venue-b/contracts';
import { questionTexts } from './question-texts.ts';
import type { Question } from './questions.ts';

/** The automatic price resolver, oracle of most hourly markets (venue page, section 6). */
const PRICE_RESOLVER = '0x58e1745bedda7312c4cddb72618923da1b90efde';
/** The adapter that sends requests for all other markets to the optimistic oracle; oracle of their conditions. */
export const ORACLE_ADAPTER = STANDARD_ADAPTERS.v4;
/** The account that lists the markets. */
export const INITIALIZER = '0x91430cad2d3975766499717fa0d66a78d814e5c5';

/** Ids of a venue_b market on the chain, in the book and in the catalog. */
export interface QuestionIds {
  /** Contract that resolves the condition. */
  readonly oracle: `0x${string}`;
  /** Hash of the ancillary data, for markets of the optimistic oracle. */
  readonly questionId: `0x${string}`;
  /** keccak256(oracle ‖ questionId ‖ 2), as on the venue (venue page, section 8). */
  readonly conditionId: `0x${string}`;
  /** Of YES and NO: decimal text of 256-bit numbers. */
  readonly tokenIds: readonly [string, string];
  /** Token ids as 64 hex digits, for log data. */
  readonly tokenWords: readonly [string, string];
  /** Catalog id: a number as text. */
  readonly marketId: string;
  readonly slug: string;
}

const FIRST_MARKET_ID = 1_000_000;

/** Catalog number of a question, unique over slots and generations. */
function marketNumber(question: Question, slots: number): number {
  return FIRST_MARKET_ID + question.generation * slots + question.slot.index;
}

/** Ancillary data of the request to the optimistic oracle (venue page, section 8). */
export function ancillaryText(question: Question, marketId: string): string {
  const { question: title, description } = questionTexts(question);
  return `q: title: ${title}, description: ${description} market_id: ${marketId} res_data: p1: 0, p2: 1, p3: 0.5. Where p1 corresponds to No, p2 to Yes, p3 to unknown/50-50.,initializer:${INITIALIZER.slice(2)}`;
}

/** Ids of a venue_b question. Token ids are hashes of the condition instead of the venue's curve points. */
export function questionIds(seed: number, question: Question, slots: number): QuestionIds {
  const marketId = marketNumber(question, slots);
  const isAutomatic = question.settlementPlan?.kind === 'automatic';
  const text = isAutomatic ? `simulated question ${seed} ${marketId}` : ancillaryText(question, String(marketId));
  const questionId = keccak256(stringToBytes(text));
  const oracle = isAutomatic ? PRICE_RESOLVER : ORACLE_ADAPTER;
  const conditionId = keccak256(concatHex([oracle, questionId, numberToHex(2, { size: 32 })]));
  const token = (index: number) => keccak256(concatHex([conditionId, numberToHex(index, { size: 32 })]));
  const hexes = [token(0), token(1)] as const;
  const place = question.slot.inverse ? 'below' : 'above';
  const date = new Date(question.expiresAtMs).toISOString().slice(0, 13).toLowerCase();
  return {
    oracle,
    questionId,
    conditionId,
    tokenIds: [hexToBigInt(hexes[0]).toString(), hexToBigInt(hexes[1]).toString()],
    tokenWords: [hexes[0].slice(2), hexes[1].slice(2)],
    marketId: String(marketId),
    slug: `${question.asset.name.toLowerCase()}-${place}-${question.thresholdText.replace('.', 'pt')}-on-${date}h`,
  };
}
