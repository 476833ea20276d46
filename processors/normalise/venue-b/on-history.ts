/** Records of `raw.venue_b.history`: transactions that a backfill found, as late trades. */
import type { Emit, StageEvent } from '#infra/stages/stage';
import type { RawEnvelope } from '#schemas/topics/raw';
import { type HistoryMessage, parseHistoryMessage } from './chain-message.ts';
import { isConfirmed } from './chain-view.ts';
import { isFollowed, learnFollowedFrom, tellLate } from './late-fills.ts';
import { MalformedError } from './malformed-error.ts';
import type { ChainOptions } from './on-chain.ts';
import { decodeOrderFilled, isOrderFilled, type OrderFilled } from './order-filled.ts';
import { lateOf, type VenueBState } from './state.ts';
import { tradeOfLeg } from './trade-of-leg.ts';

/** Takes one transaction. Nothing of it is told when any of its logs is not as the chain makes them. */
export function onHistoryRecord(
  options: ChainOptions,
  state: VenueBState,
  { value, receivedAt }: StageEvent<RawEnvelope>,
  emit: Emit,
): void {
  const late = lateOf(state);
  try {
    const message = parseHistoryMessage(value.payload);
    const matched = matchLegs(options, message);
    learnFollowedFrom(late, message.followedFrom);
    const { block } = message;
    // What is followed is told as it comes; a backfill adds nothing to it.
    if (isFollowed(late, block.number)) return;
    const status = isConfirmed(state.chain, block.number, options.confirmations) ? 'confirmed' : 'pending';
    for (const leg of matched) {
      const trade = tradeOfLeg({ ...leg, ...block, receivedAt }, leg.takerLeg, state.catalog);
      tellLate(late, { ...trade, arrival: leg.logIndex, status }, emit);
    }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    emit.dead(error.code, error.message);
  }
}

interface MatchedLeg {
  readonly transactionHash: string;
  readonly logIndex: number;
  readonly order: OrderFilled;
  /** Null where none followed: the order was filled directly. */
  takerLeg: OrderFilled | null;
}

/** Maker legs of a transaction, each with the first taker leg of the same contract that follows it. */
function matchLegs({ exchanges }: ChainOptions, { logs }: HistoryMessage): MatchedLeg[] {
  const legs: MatchedLeg[] = [];
  for (const log of logs) {
    if (!exchanges.has(log.address) || !isOrderFilled(log.topics[0])) continue;
    const order = decodeOrderFilled(log);
    if (order.taker !== order.exchange) {
      if (exchanges.has(order.taker))
        throw new MalformedError('malformed_log', `taker ${order.taker} is an exchange, but not the one that says so`);
      legs.push({ transactionHash: log.transactionHash, logIndex: log.logIndex, order, takerLeg: null });
      continue;
    }
    for (const leg of legs) if (leg.order.exchange === order.exchange) leg.takerLeg ??= order;
  }
  return legs;
}
