/**
 * What is missing from the venue's complete lists. A list has no time, and one of a lagging node lacks what is new, so a
 * single list ends nothing: what a list lacks is gone if a list at least `LAG_MAX_MS` later lacks it too, and none between
 * them contains it.
 */

/** By how much a node may lag behind and is still asked (contract, Reads from the venue). */
export const LAG_MAX_MS = 10_000;

/** When the first of the lists that lack a name was received, unix ms. Bounded by what is listed. */
export type MissingSince = Map<string, number>;

/** Returns the names of `known` that are gone. @param known what is listed so far. */
export function findGone(
  missing: MissingSince,
  known: readonly string[],
  listed: ReadonlySet<string>,
  receivedAt: number,
): ReadonlySet<string> {
  const gone = new Set<string>();
  for (const name of known) {
    const since = missing.get(name);
    if (!listed.has(name) && since === undefined) missing.set(name, receivedAt);
    if (!listed.has(name) && since !== undefined && receivedAt - since >= LAG_MAX_MS) gone.add(name);
    if (listed.has(name) || gone.has(name)) missing.delete(name);
  }
  return gone;
}
