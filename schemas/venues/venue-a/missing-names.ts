/**
 * When a market of venue_a that the venue does not flag as delisted has ended: pairs, contracts and dexes that its complete
 * lists no longer contain. Ingest and the normaliser use the same rule. Pure.
 *
 * A list has no time of the venue, and one of a node that lags behind lacks what is new. So a single list ends nothing: a
 * name is gone with the first list that lacks it and was received at least `LAG_MAX_MS` after another one that lacked it, if
 * no list between them contains it.
 */

/** By how much a node may lag behind and is still asked (contract, Reads from the venue). */
export const LAG_MAX_MS = 10_000;
/**
 * Lists are at most 30 s old (contract, The venue's limits). A list that lacks a name counts as confirmed after twice that
 * time without another one: whoever publishes lists may leave out an unchanged one.
 */
export const UNCHANGED_MS = 60_000;

/** When the first of the lists that lack a name was received, in ms. Contains listed names only, until they are gone. */
export type MissingSince = Map<string, number>;

/**
 * Processes a complete list and returns the names that are gone with it. An empty list is a wrong answer, which ends none.
 * @param known the names that have not ended so far.
 */
export function findGone(
  missing: MissingSince,
  known: Iterable<string>,
  listed: ReadonlySet<string>,
  receivedAt: number,
): string[] {
  if (listed.size === 0) return [];
  const gone: string[] = [];
  for (const name of known) {
    const since = missing.get(name);
    if (listed.has(name)) missing.delete(name);
    else if (since === undefined) missing.set(name, receivedAt);
    else if (receivedAt - since >= LAG_MAX_MS) {
      missing.delete(name);
      gone.push(name);
    }
  }
  return gone;
}

/** Returns the names that are gone since no list followed the one that lacked them, and forgets them. */
export function findUnconfirmed(missing: MissingSince, now: number): string[] {
  const gone = [...missing].filter(([, since]) => now - since >= UNCHANGED_MS).map(([name]) => name);
  for (const name of gone) missing.delete(name);
  return gone;
}
