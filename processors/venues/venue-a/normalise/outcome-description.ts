/**
 * Parses the structured form of an outcome's description: `key:value` pairs joined by `|`, as in
 * `class:priceBinary|underlying:BTC|expiry:20260503-0600|targetPrice:78213|period:1d` (venue page, section 3.5).
 */

const PAIR = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*:\s*(.*?)\s*$/;
/** Text that deployers put before their pairs. */
const PREFIX = /^\s*metadata=/;

/** Returns the pairs of a description; none for plain text, which is a description with any part that is no pair. */
export function parsePairs(description: string): Readonly<Record<string, string>> {
  const pairs: [string, string][] = [];
  for (const part of description.replace(PREFIX, '').split('|')) {
    const pair = PAIR.exec(part);
    if (!pair) return {};
    pairs.push([pair[1]!, pair[2]!]);
  }
  return Object.fromEntries(pairs);
}

const EXPIRY = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})$/;

/** Parses `YYYYMMDD-HHMM` in UTC as unix ms; null for anything else and for a day that does not exist. */
export function parseExpiry(written: string | undefined): number | null {
  const parts = EXPIRY.exec(written ?? '');
  if (!parts) return null;
  const [year, month, day, hour, minute] = parts.slice(1).map(Number) as [number, number, number, number, number];
  const time = Date.UTC(year, month - 1, day, hour, minute);
  const read = new Date(time);
  const exists = read.getUTCMonth() === month - 1 && read.getUTCDate() === day && hour < 24 && minute < 60;
  return exists ? time : null;
}
