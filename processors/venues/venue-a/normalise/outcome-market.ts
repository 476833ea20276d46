/** Builds the `Market` record of an outcome. */
import type { Emit } from '#infra/stages/stage';
import type { Market } from '#schemas/topics/normalised';
import { outcomeCoin } from './coins.ts';
import { parseExpiry, parsePairs } from './outcome-description.ts';
import type { Outcome, Question } from './outcome-messages.ts';

/** The destination of changed markets, and the fields that all of them share. */
export interface MarketWriter {
  /** Taker fee rate of the venue's outcome markets. */
  readonly takerFeeRate: string;
  readonly receivedAt: number;
  readonly emit: Emit;
}

/** Builds the market of an outcome that is open. */
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
    fields: JSON.stringify({ ...pairs, ...questionFields(question, id), outcome: outcome.raw }),
    resolved: false,
    // Many outcomes share a name; their descriptions differ.
    name: description === '' ? null : `${name} (${description})`,
  };
}

/** Flags of an outcome that is no longer listed: the venue lists it until it is settled, so it is resolved by then. */
export const RESOLVED_FLAGS = { active: false, closed: true, resolved: true } as const satisfies Partial<Market>;

/** Describes the position of an outcome in its question, which determines its bucket, for example. */
function questionFields(question: Question | undefined, id: number) {
  if (!question) return {};
  const index = question.named.indexOf(id);
  return { question, namedIndex: index < 0 ? null : index };
}

/** True if two records of a market differ only in their time. */
export function isSameMarket(a: Market, b: Market): boolean {
  return JSON.stringify({ ...a, receivedAt: 0 }) === JSON.stringify({ ...b, receivedAt: 0 });
}
