/** How outcome markets were decided, as `settledOutcome` answers it (venue page, section 3.5). */
import type { Emit } from '#infra/stages/stage';
import { type Decimal, formatDecimal, parseDecimal, UNIT } from '#schemas/domain/decimal';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { resolutionTopics } from '#schemas/topics/oracle';
import { dropOldest } from '../../shared/drop-oldest.ts';
import { outcomeCoin } from './coins.ts';
import { type Fields, readAmount, readObject } from './fields.ts';
import { madeBehind } from './listed-ids.ts';
import { FieldError } from './malformed-error.ts';
import { parseExpiry, parsePairs } from './outcome-description.ts';
import { MARKET_OVER, type MarketWriter, toMarket } from './outcome-market.ts';
import { type Outcome, type Question, readOutcome } from './outcome-messages.ts';
import type { OutcomeState } from './outcome-state.ts';
import { endOutcome } from './outcomes.ts';

/** Settled outcomes that are remembered, so that each is told once: the newest ones. */
export const SETTLED_MAX = 10_000;

export interface SettledOutcome {
  readonly outcome: Outcome;
  /** What a coin of side 0 is paid, canonical decimal from 0 to 1. */
  readonly settleFraction: string;
  /** The question that it belongs to, of which nothing else is told here; null where it belongs to none. */
  readonly question: Pick<Question, 'name' | 'description'> | null;
}

/** Throws `FieldError`. */
export function readSettledOutcome(answer: unknown, field: string): SettledOutcome {
  const { spec, settleFraction, question } = readObject(answer, field);
  const fraction = readAmount(settleFraction, `${field}.settleFraction`);
  if (parseDecimal(fraction) > UNIT)
    throw new FieldError(`${field}.settleFraction`, 'a decimal up to 1', settleFraction);
  return {
    outcome: readOutcome(spec, `${field}.spec`),
    settleFraction: fraction,
    question: readParent(question),
  };
}

function readParent(question: unknown): SettledOutcome['question'] {
  if (typeof question !== 'object' || question === null) return null;
  const { name, description } = question as Fields;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return { name: text(name), description: text(description) };
}

/**
 * Tells the resolution of an outcome, once: side 0 is paid the fraction, side 1 the rest. The venue tells no time of it,
 * so it is when the venue first told that the outcome is over, by our clock, and how much earlier it may have been is
 * told beside that. Of an outcome that was never seen alive nothing is known of it, unless it was made behind a list.
 */
export function takeSettledOutcome(state: OutcomeState, settled: SettledOutcome, writer: MarketWriter): void {
  const { outcome, settleFraction } = settled;
  const id = outcome.outcome;
  if (state.resolved.has(id)) return;
  state.resolved.add(id);
  dropOldest(state.resolved, SETTLED_MAX);
  const ended = endOutcome(state, id, writer, false);
  const past = ended ? null : pastMarket(settled, writer);
  if (past) writer.emit(marketTopics.venue_a, past.marketId, past);
  const marketId = outcomeCoin(id, 0);
  const rest = (UNIT - parseDecimal(settleFraction)) as Decimal;
  tellResolution(writer.emit, {
    marketId,
    payouts: [settleFraction, formatDecimal(rest)],
    resolvedAt: ended?.closedAt ?? writer.receivedAt,
    decidedAfter: ended ? ended.decidedAfter : madeBehind(state.listedIds, id),
    receivedAt: writer.receivedAt,
    endTime: ended?.endTime ?? past?.endTime ?? null,
  });
}

interface Told {
  readonly marketId: string;
  readonly payouts: string[];
  readonly resolvedAt: number;
  readonly decidedAfter: number | null;
  readonly receivedAt: number;
  readonly endTime: number | null;
}

function tellResolution(emit: Emit, told: Told): void {
  const provider = 'venue_a_outcome';
  const place = { txHash: null, logIndex: null, blockNumber: null, blockHash: null };
  emit(resolutionTopics.venue_a, told.marketId, {
    ...told,
    ...place,
    id: `${provider}:${told.marketId}`,
    provider,
    status: 'confirmed',
  });
}

/** An outcome that was over before anyone looked: its market is told here alone, as far as the answer knows it. */
function pastMarket({ outcome, question }: SettledOutcome, writer: MarketWriter): Market {
  const market = toMarket(outcome, undefined, writer);
  const pairs = { ...parsePairs(question?.description ?? ''), ...parsePairs(outcome.description) };
  const groupTitle = question && question.name !== '' ? question.name : null;
  return {
    ...market,
    groupTitle,
    endTime: parseExpiry(pairs.expiry),
    ...MARKET_OVER,
    fields: JSON.stringify({ ...pairs, ...(question ? { question } : {}), outcome: outcome.raw }),
  };
}
