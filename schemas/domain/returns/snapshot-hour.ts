/** Which hour a value is the snapshot of (contract, Money: NAV, curves, returns). */

export const HOUR_MS = 3_600_000;
/** A value is the snapshot of an hour up to so long after its mark, ms. */
export const SNAPSHOT_WITHIN_MS = 10 * 60_000;

/** The mark of the hour that contains a time, ms. */
export const hourOf = (time: number): number => Math.floor(time / HOUR_MS) * HOUR_MS;

/** Returns the mark of the hour of which a value can be the snapshot; null for a value of another time of the hour. */
export function snapshotHour(asOf: number): number | null {
  const hour = hourOf(asOf);
  return asOf - hour <= SNAPSHOT_WITHIN_MS ? hour : null;
}
