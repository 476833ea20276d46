/**
 * Handles records of `raw.venue_b.history`: transactions that a backfill found become events of the wallet, and trades where
 * the chain was not followed.
 */
import type { Emit, StageRecord } from '#infra/stages/stage';
import type { RawEnvelope } from '#schemas/topics/raw';
import { MalformedError } from '../../shared/malformed.ts';
import { emitBackfilled, isFollowed, lowerFollowedFrom } from './backfilled-trades.ts';
import { type HistoryMessage, parseHistoryMessage } from './chain-message.ts';
import { isConfirmed } from './chain-view.ts';
import type { ChainOptions } from './on-chain.ts';
import { decodeOrderFilled, isOrderFilled } from './order-filled.ts';
import type { VenueBState } from './state.ts';
import { takerLegsOf } from './taker-leg.ts';
import { tradeOfLeg } from './trade-of-leg.ts';
import { emitWalletEvents, type MatchedLeg } from './wallet-events.ts';

/** Handles one transaction. Nothing of it is emitted if any of its logs is malformed. */
export function onHistoryRecord(
  options: ChainOptions,
  state: VenueBState,
  { value, receivedAt }: StageRecord<RawEnvelope>,
  emit: Emit,
): void {
  const { backfilled } = state;
  try {
    const message = parseHistoryMessage(value.payload);
    const matched = matchLegs(options, message);
    lowerFollowedFrom(backfilled, message.followedFrom);
    const { block } = message;
    emitWalletEvents(options, state, { message, matched, request: value.request, receivedAt }, emit);
    // Trades of followed blocks come from the live logs; a backfill adds nothing to them.
    if (isFollowed(backfilled, block.number)) return;
    const status = isConfirmed(state.chain, block.number, options.confirmations) ? 'confirmed' : 'pending';
    for (const leg of matched) {
      const trade = tradeOfLeg({ ...leg, ...block, receivedAt }, leg.takerLeg, state.catalog);
      emitBackfilled(backfilled, { ...trade, arrival: leg.logIndex, status }, emit);
    }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    emit.deadLetter(error.code, error.message);
  }
}

/** Returns the maker legs of a transaction, each with the first taker leg of the same contract that follows it. */
function matchLegs({ exchanges }: ChainOptions, { logs }: HistoryMessage): MatchedLeg[] {
  const legs: MatchedLeg[] = [];
  for (const log of logs) {
    if (!exchanges.has(log.address) || !isOrderFilled(log.topics[0])) continue;
    const order = decodeOrderFilled(log);
    if (order.taker !== order.exchange) {
      if (exchanges.has(order.taker))
        throw new MalformedError(
          'malformed_log',
          `taker ${order.taker} is an exchange, but not the one that emitted the log`,
        );
      legs.push({ transactionHash: log.transactionHash, logIndex: log.logIndex, order, takerLeg: null });
      continue;
    }
    const own = legs.filter((leg) => leg.takerLeg === null && leg.order.exchange === order.exchange);
    const takerLegs = takerLegsOf(
      order,
      own.map((leg) => leg.order),
    );
    for (const [at, leg] of own.entries()) leg.takerLeg = takerLegs[at]!;
  }
  return legs;
}
