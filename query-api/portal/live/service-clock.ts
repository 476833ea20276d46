/** The time of the service, as far as the `Date` headers of its responses state it: the browser's clock may be wrong. */

/** Bounds of the service's clock minus the browser's, ms. */
export interface Offset {
  readonly min: number;
  readonly max: number;
}

/** A header states whole seconds. */
const HEADER_STEP_MS = 1_000;

/**
 * Narrows what is known of the offset by a response. A clock that was set meanwhile begins anew.
 *
 * @param date the header; null or invalid says nothing.
 * @param sentAt browser's time of the request, unix ms.
 * @param receivedAt browser's time of the response, unix ms.
 */
export function narrowed(known: Offset | null, date: string | null, sentAt: number, receivedAt: number): Offset | null {
  const second = Date.parse(date ?? '');
  if (Number.isNaN(second)) return known;
  const [min, max] = [second - receivedAt, second + HEADER_STEP_MS - sentAt];
  const both = { min: Math.max(min, known?.min ?? min), max: Math.min(max, known?.max ?? max) };
  return both.min <= both.max ? both : { min, max };
}

/** The offset, ms; 0 while the clocks may be the same. */
export function offsetOf(known: Offset | null): number {
  if (known === null || (known.min <= 0 && known.max >= 0)) return 0;
  return (known.min + known.max) / 2;
}

let known: Offset | null = null;

/** Called with each response. */
export function noteResponse(date: string | null, sentAt: number, receivedAt: number): void {
  known = narrowed(known, date, sentAt, receivedAt);
}

/** The service's time, unix ms. */
export function serviceNow(): number {
  return Date.now() + offsetOf(known);
}
