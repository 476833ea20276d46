/** Asks how outcomes were decided that are no longer listed: those that were, those that were missed, those of the past. */
import type { Logger } from 'pino';
import { UpstreamError } from '../../feed/errors.ts';
import { parseAnswer } from '../../feed/json.ts';
import { missedQuestion } from './missed-outcomes.ts';
import { type PastOutcomes, pastQuestion } from './past-outcomes.ts';
import type { FollowedOutcomes } from './read-followed.ts';

export interface SettlementQuestions extends FollowedOutcomes {
  readonly past: PastOutcomes;
  readonly logger: Logger;
  /** Asks with this JSON text and publishes the answer, when the log takes it. */
  readonly ask: (request: string, signal: AbortSignal) => Promise<Buffer>;
  /** Answers published so far. */
  readonly answers: () => number;
}

/** Asks for what is due. Rejects where the venue does not say how an outcome was decided that was listed. */
export async function askSettlements(
  questions: SettlementQuestions,
  listed: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  await askSettled(questions, signal);
  const { missed, past, answers } = questions;
  if (missed.isPending) {
    const isAsked = (outcome: number) => missed.asked(outcome);
    await askOnce(questions, missed.due(Date.now()), missedQuestion, isAsked, (id) => missed.failed(id), signal);
    return;
  }
  const isAsked = (outcome: number) => past.asked(outcome, answers());
  const outcomes = past.due(listed, answers(), Date.now());
  await askOnce(questions, outcomes, pastQuestion, isAsked, (id) => past.failed(id), signal);
}

async function askSettled(questions: SettlementQuestions, signal: AbortSignal): Promise<void> {
  const { settled, logger } = questions;
  for (const outcome of settled.due()) {
    const request = JSON.stringify({ type: 'settledOutcome', outcome });
    const is = await isSettled(questions, request, signal).catch((error: unknown) => {
      // Those behind it are asked first in the next round.
      if (error instanceof UpstreamError) settled.asked(outcome, false);
      throw error;
    });
    if (!settled.asked(outcome, is)) logger.warn({ outcome }, 'an outcome is over and was never settled');
  }
}

/** Asks for each once. @param failed takes that one could not be asked for, and says whether it is passed over. */
async function askOnce(
  questions: SettlementQuestions,
  outcomes: readonly number[],
  question: (outcome: number) => string,
  asked: (outcome: number) => void,
  failed: (outcome: number) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const outcome of outcomes) {
    try {
      await isSettled(questions, question(outcome), signal);
      asked(outcome);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      // Nothing waits for it: what else is asked tells whether the venue answers at all.
      questions.logger[failed(outcome) ? 'warn' : 'debug']({ error, outcome }, 'an outcome could not be asked for');
      return;
    }
  }
}

/** Asks for a settlement. False where there is none, or the venue does not say; rejects where it may say it later. */
async function isSettled({ ask, logger }: SettlementQuestions, request: string, signal: AbortSignal): Promise<boolean> {
  try {
    return parseAnswer(await ask(request, signal), 'settledOutcome') !== null;
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.canRetry) throw error;
    logger.debug({ error, request }, 'the venue does not say how an outcome was decided');
    return false;
  }
}
