/** Requests the settlements of outcomes that are not listed: formerly listed, missed and earlier ones. */
import type { Logger } from 'pino';
import { UpstreamError } from '../../feed/errors.ts';
import { parseAnswer } from '../../feed/json.ts';
import type { EarlierOutcomes } from './earlier-outcomes.ts';
import { earlierOutcomeRequest, missedOutcomeRequest, pendingOutcomeRequest } from './outcome-requests.ts';
import type { TrackedOutcomes } from './read-tracked-outcomes.ts';

export interface SettlementRequests extends TrackedOutcomes {
  readonly earlier: EarlierOutcomes;
  readonly logger: Logger;
  /** Sends this JSON text and publishes the answer. Waits while the log accepts nothing. */
  readonly send: (request: string, signal: AbortSignal) => Promise<Buffer>;
  /** Saves the cursor of the earlier outcomes, if it changed. */
  readonly saveCursor: (outcome: number | null, signal: AbortSignal) => Promise<void>;
}

/** Sends the requests that are due. Rejects if the request for a pending settlement fails. */
export async function requestSettlements(
  requests: SettlementRequests,
  listed: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  await requestPending(requests, signal);
  const { pending, missed, earlier, saveCursor } = requests;
  if (missed.isPending) {
    const onAnswer = (outcome: number, isSettled: boolean) => {
      missed.recordRequested(outcome);
      pending.recordAnswer(outcome, isSettled, true);
    };
    const outcomes = missed.due(performance.now());
    await requestEach(requests, outcomes, missedOutcomeRequest, onAnswer, (id) => missed.recordFailure(id), signal);
  }
  // The search pauses while outcomes are missed.
  if (missed.isPending) return;
  const onAnswer = (outcome: number, isSettled: boolean) => {
    earlier.recordRequested(outcome);
    pending.recordAnswer(outcome, isSettled, true);
  };
  const outcomes = earlier.due(listed, performance.now());
  await requestEach(requests, outcomes, earlierOutcomeRequest, onAnswer, (id) => earlier.recordFailure(id), signal);
  await saveCursor(earlier.cursor, signal);
}

async function requestPending(requests: SettlementRequests, signal: AbortSignal): Promise<void> {
  const { pending, logger } = requests;
  for (const outcome of pending.due()) {
    const wasSettled = await isSettled(requests, pendingOutcomeRequest(outcome), signal).catch((error: unknown) => {
      // The other pending outcomes come first in the next round.
      if (error instanceof UpstreamError) pending.recordAnswer(outcome, false);
      throw error;
    });
    if (!pending.recordAnswer(outcome, wasSettled))
      logger.warn({ outcome }, 'gave up on the settlement of an outcome: the venue never returned one');
  }
}

/**
 * Requests outcomes by id, each once. `onAnswer` gets whether one is settled.
 * @param onFailure called for a failed request; returns true if the outcome is skipped.
 */
async function requestEach(
  requests: SettlementRequests,
  outcomes: readonly number[],
  requestFor: (outcome: number) => string,
  onAnswer: (outcome: number, isSettled: boolean) => void,
  onFailure: (outcome: number) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const outcome of outcomes) {
    try {
      onAnswer(outcome, await isSettled(requests, requestFor(outcome), signal));
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      // Not a failure of the round: other requests show whether the venue is reachable.
      requests.logger[onFailure(outcome) ? 'warn' : 'debug']({ error, outcome }, 'could not request an outcome');
      return;
    }
  }
}

/** Requests a settlement. Resolves with false if there is none or the venue rejects the request; rejects if a retry can help. */
async function isSettled({ send, logger }: SettlementRequests, request: string, signal: AbortSignal): Promise<boolean> {
  try {
    return parseAnswer(await send(request, signal), 'settledOutcome') !== null;
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.canRetry) throw error;
    logger.debug({ error, request }, 'the venue rejected the request for a settlement');
    return false;
  }
}
