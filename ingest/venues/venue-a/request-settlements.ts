/** Asks how outcomes were decided that are not listed: those that were, those that were missed, and earlier ones. */
import type { Logger } from 'pino';
import { UpstreamError } from '../../feed/errors.ts';
import { parseAnswer } from '../../feed/json.ts';
import { type EarlierOutcomes, earlierQuestion } from './earlier-outcomes.ts';
import { missedQuestion } from './missed-outcomes.ts';
import type { FollowedOutcomes } from './read-followed.ts';

export interface SettlementQuestions extends FollowedOutcomes {
  readonly earlier: EarlierOutcomes;
  readonly logger: Logger;
  /** Asks with this JSON text and publishes the answer, when the log takes it. */
  readonly ask: (request: string, signal: AbortSignal) => Promise<Buffer>;
  /** Answers published so far. */
  readonly answers: () => number;
}

/** Asks for what is due. Rejects where one cannot be asked for that waits for its settlement. */
export async function askSettlements(
  questions: SettlementQuestions,
  listed: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  await askSettled(questions, signal);
  const { settled, missed, earlier, answers } = questions;
  if (missed.isPending) {
    const asked = (outcome: number, isSettled: boolean) => {
      missed.asked(outcome);
      settled.asked(outcome, isSettled, true);
    };
    await walkOn(questions, missed.due(Date.now()), missedQuestion, asked, (id) => missed.failed(id), signal);
    return;
  }
  const asked = (outcome: number, isSettled: boolean) => {
    // Where the last one is only said again, it was awaited when it was asked for.
    if (earlier.asked(outcome, answers())) settled.asked(outcome, isSettled, true);
  };
  const outcomes = earlier.due(listed, answers(), Date.now());
  await walkOn(questions, outcomes, earlierQuestion, asked, (id) => earlier.failed(id), signal);
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

/**
 * Asks for outcomes by id, each once: where one is not settled, it waits with those that were listed.
 * @param failed takes that one could not be asked for, and says whether it is passed over.
 */
async function walkOn(
  questions: SettlementQuestions,
  outcomes: readonly number[],
  question: (outcome: number) => string,
  asked: (outcome: number, isSettled: boolean) => void,
  failed: (outcome: number) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const outcome of outcomes) {
    try {
      asked(outcome, await isSettled(questions, question(outcome), signal));
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
