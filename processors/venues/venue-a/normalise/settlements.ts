/** Resolutions of outcome markets from answers of `settledOutcome` (venue page, section 3.5). */

import type { Emit } from '#infra/stages/stage';
import { type Decimal, formatDecimal, parseDecimal, UNIT } from '#schemas/domain/decimal';
import { asText, FieldError, isJsonObject, readAmount, readObject } from '#schemas/domain/json-fields';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { resolutionTopics } from '#schemas/topics/oracle';
import { dropOldest } from '../../../shared/drop-oldest.ts';
import { outcomeCoin } from './coins.ts';
import { createdAfter } from './listed-ids.ts';
import { parseExpiry, parsePairs } from './outcome-description.ts';
import { type MarketWriter, RESOLVED_FLAGS, toMarket } from './outcome-market.ts';
import { type Outcome, type Question, readOutcome } from './outcome-messages.ts';
import type { OutcomeState } from './outcome-state.ts';
import { closeOutcome } from './outcomes.ts';

/** Newest settled outcomes that are stored, so that each is emitted once. */
export const SETTLED_MAX = 10_000;

export interface SettledOutcome {
  readonly outcome: Outcome;
  /** Payout of a coin of side 0, a canonical decimal from 0 to 1. */
  readonly settleFraction: string;
  /** Its question, of which the answer has only these fields; null where it belongs to none. */
  readonly question: Pick<Question, 'name' | 'description'> | null;
}

/** Reads an answer. Throws `FieldError`. */
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
  if (!isJsonObject(question)) return null;
  return { name: asText(question.name) ?? '', description: asText(question.description) ?? '' };
}

/**
 * Emits the resolution of an outcome once: side 0 is paid the fraction, side 1 the rest. The venue states no time, so
 * `resolvedAt` is the receive time of the first message that closed the outcome, and `decidedAfter` a lower bound. An
 * outcome that was never seen open has no lower bound, unless a gap between listed ids gives one.
 */
export function processSettledOutcome(state: OutcomeState, settled: SettledOutcome, writer: MarketWriter): void {
  const { outcome, settleFraction } = settled;
  const id = outcome.outcome;
  if (state.resolved.has(id)) return;
  state.resolved.add(id);
  dropOldest(state.resolved, SETTLED_MAX);
  const ended = closeOutcome(state, id, writer, false);
  const unseen = ended ? null : unseenMarket(settled, writer);
  if (unseen) writer.emit(marketTopics.venue_a, unseen.marketId, unseen);
  const marketId = outcomeCoin(id, 0);
  const rest = (UNIT - parseDecimal(settleFraction)) as Decimal;
  emitResolution(writer.emit, {
    marketId,
    payouts: [settleFraction, formatDecimal(rest)],
    resolvedAt: ended?.closedAt ?? writer.receivedAt,
    decidedAfter: ended ? ended.decidedAfter : createdAfter(state.listedIds, id),
    receivedAt: writer.receivedAt,
    endTime: ended?.endTime ?? unseen?.endTime ?? null,
  });
}

interface ResolutionFields {
  readonly marketId: string;
  readonly payouts: string[];
  readonly resolvedAt: number;
  readonly decidedAfter: number | null;
  readonly receivedAt: number;
  readonly endTime: number | null;
}

function emitResolution(emit: Emit, fields: ResolutionFields): void {
  const provider = 'venue_a_outcome';
  const place = { txHash: null, logIndex: null, blockNumber: null, blockHash: null };
  emit(resolutionTopics.venue_a, fields.marketId, {
    ...fields,
    ...place,
    id: `${provider}:${fields.marketId}`,
    provider,
    status: 'confirmed',
  });
}

/** Builds the market of an outcome that was never listed while open, with the fields that the answer has. */
function unseenMarket({ outcome, question }: SettledOutcome, writer: MarketWriter): Market {
  const market = toMarket(outcome, undefined, writer);
  const pairs = { ...parsePairs(question?.description ?? ''), ...parsePairs(outcome.description) };
  const groupTitle = question && question.name !== '' ? question.name : null;
  return {
    ...market,
    groupTitle,
    endTime: parseExpiry(pairs.expiry),
    ...RESOLVED_FLAGS,
    fields: JSON.stringify({ ...pairs, ...(question ? { question } : {}), outcome: outcome.raw }),
  };
}
