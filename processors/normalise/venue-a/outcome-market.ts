/** An outcome as the market that is told of it. */
import type { Emit } from '#infra/stages/stage';
import type { Market } from '#schemas/topics/normalised';
import { outcomeCoin } from './coins.ts';
import { parseExpiry, parsePairs } from './outcome-description.ts';
import type { Outcome, Question } from './outcome-messages.ts';

/** Where a change of the markets goes, and what is told of all of them. */
export interface MarketWriter {
  /** Taker fee rate of the venue's outcome markets. */
  readonly takerFeeRate: string;
  readonly receivedAt: number;
  readonly emit: Emit;
}

/** The market that an outcome is, as it is told while it lives. */
export function toMarket(outcome: Outcome, question: Question | undefined, writer: MarketWriter): Market {
  const { outcome: id, name, description, sides } = outcome;
  const pairs = { ...parsePairs(question?.description ?? ''), ...parsePairs(description) };
  const yes = outcomeCoin(id, 0);
  return {
    provider: 'venue_a_outcome',
    marketId: yes,
    receivedAt: writer.receivedAt,
    title: name,
    description,
    groupTitle: question?.name ?? null,
    groupItemTitle: null,
    slug: null,
    resolutionSource: null,
    startTime: null,
    endTime: parseExpiry(pairs.expiry),
    instruments: [yes, outcomeCoin(id, 1)],
    outcomes: [...sides],
    active: true,
    closed: false,
    takerFeeRate: writer.takerFeeRate,
    fields: JSON.stringify({ ...pairs, ...placeIn(question, id), outcome: outcome.raw }),
    resolved: false,
    // Outcomes share a few names, and are told apart by their descriptions.
    name: description === '' ? null : `${name} (${description})`,
  };
}

/** What an outcome that is over is told with: the venue lists it until it is settled, so it is decided by then. */
export const MARKET_OVER = { active: false, closed: true, resolved: true } as const satisfies Partial<Market>;

/** Where an outcome stands in its question: what its bucket is, say, follows from that alone. */
function placeIn(question: Question | undefined, id: number) {
  if (!question) return {};
  const index = question.named.indexOf(id);
  return { question, namedIndex: index < 0 ? null : index };
}

/** Whether two tellings of a market differ in nothing but their time. */
export function isSameMarket(a: Market, b: Market): boolean {
  return JSON.stringify({ ...a, receivedAt: 0 }) === JSON.stringify({ ...b, receivedAt: 0 });
}
