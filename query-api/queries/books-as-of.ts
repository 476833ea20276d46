/** How current answers from the books of events are. One rule for all of them. */
import { bookHeadTopic } from '#schemas/topics/book-heads';
import { arbitrageHeadTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type Freshness, isBehind } from '../views/freshness.ts';

/** What is behind such an answer: the states and the arbitrage of the event, and the books. */
const SOURCES = [arbitrageHeadTopic, bookHeadTopic];

/** Unix ms up to which everything in the answer is known, so the oldest of the positions: a part of it may be newer. */
export function booksAsOf(freshness: Freshness, { receivedAt }: Pick<UniversalEvent, 'receivedAt'>): number {
  return Math.min(...SOURCES.map((topic) => freshness.asOf(topic) ?? receivedAt));
}

/** True if one of them lags too far behind to be reported as live. */
export function areBooksBehind(freshness: Freshness): boolean {
  return SOURCES.some((topic) => isBehind(freshness, topic));
}
