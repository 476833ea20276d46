/** Gathers the responses of acquisitions: those about one account that lie within 60 s of each other. */

/** From the first to the last response of an acquisition (contract, Money: accounts, reads, values). */
const ACQUISITION_MS = 60_000;

interface Part<T> {
  readonly receivedAt: number;
  readonly value: T;
}

/** By address, then by what the response is about. Parts live for `ACQUISITION_MS`. */
export type AcquiredParts<T> = Map<string, Map<string, Part<T>>>;

export const createAcquiredParts = <T>(): AcquiredParts<T> => new Map();

/** Adds the newest response of its kind. Returns all parts of the account that can belong to its acquisition. */
export function addPart<T>(
  parts: AcquiredParts<T>,
  address: string,
  key: string,
  value: T,
  receivedAt: number,
): ReadonlyMap<string, T> {
  const own = parts.get(address) ?? new Map<string, Part<T>>();
  own.set(key, { receivedAt, value });
  dropOld(own, receivedAt);
  parts.set(address, own);
  return new Map([...own].map(([name, part]) => [name, part.value]));
}

/** Returns when the oldest of these parts was received; the account must have one. */
export function oldestPartOf<T>(parts: AcquiredParts<T>, address: string): number {
  return Math.min(...[...parts.get(address)!.values()].map(({ receivedAt }) => receivedAt));
}

/** Forgets responses whose acquisition was never completed. */
export function forgetOldParts<T>(parts: AcquiredParts<T>, now: number): void {
  for (const [address, own] of parts) {
    dropOld(own, now);
    if (own.size === 0) parts.delete(address);
  }
}

function dropOld<T>(own: Map<string, Part<T>>, now: number): void {
  for (const [key, { receivedAt }] of own) if (now - receivedAt > ACQUISITION_MS) own.delete(key);
}
