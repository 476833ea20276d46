/**
 * The requests for the settlement of an outcome. The raw log stores the text of a request with its answer, so the form
 * of the text states why it was sent, and a restart finds how far each search came. Pure.
 */

/** The start of a request for an earlier outcome, and of one for a missed outcome: no other request starts like them. */
const EARLIER_PREFIX = '{"outcome":';
const MISSED_PREFIX = '{ "outcome":';

/** The request for an outcome that left the list and whose settlement is pending, as JSON text. */
export function pendingOutcomeRequest(outcome: number): string {
  return `{"type":"settledOutcome","outcome":${outcome}}`;
}

/** The request for an earlier outcome, as JSON text. */
export function earlierOutcomeRequest(outcome: number): string {
  return `${EARLIER_PREFIX}${outcome},"type":"settledOutcome"}`;
}

/** True if a published request is for an earlier outcome. */
export function isEarlierOutcomeRequest(request: string): boolean {
  return request.startsWith(EARLIER_PREFIX);
}

/** The request for a missed outcome, as JSON text. */
export function missedOutcomeRequest(outcome: number): string {
  return `${MISSED_PREFIX} ${outcome}, "type": "settledOutcome" }`;
}

/** True if a published request is for a missed outcome. */
export function isMissedOutcomeRequest(request: string): boolean {
  return request.startsWith(MISSED_PREFIX);
}
