/** Replaces what differs between runs, such as ids and times of the clock, by values that look the same. */

/** The end of the data set of the sandbox. */
const AT_MS = Date.UTC(2026, 0, 15, 13, 10);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY_LENGTH = 'YYYY-MM-DD'.length;
/** Times within this distance of the run are those of its clock. */
const CLOCK_MS = 30 * DAY_MS;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const DAY = /^\d{4}-\d\d-\d\d$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** The secret part of a token. */
const TOKEN_SECRET = /(?<=plx_(?:live|test)_[0-9a-f-]{36}\.)[\w-]{43}/g;
const SIGNING_SECRET = /(?<=whsec_)[A-Za-z0-9+/]+(?==*$)/g;
/** In a cursor, the name of what its pages have in common, which depends on ids. */
const CURSOR_SCOPE = /(?<=^\d+ )[0-9a-f]{16}(?=\/)/;
/** In a cursor that expires, the digest of its rows, which depends on ids. */
const CURSOR_DIGEST = /(?<=^\d+ [0-9a-f]{16}\/)[0-9a-f]{32}(?=\/)/;
/** In a cursor that expires, when its first page was read. */
const CURSOR_ISSUED_AT = /(?<=^\d+ [0-9a-f]{16}\/(?:[0-9a-f]{32}\/)?)\d{13}(?=\/)/;
/** Fields that follow from the time of the run, and what stands for them. */
const CLOCK_FIELDS: Readonly<Record<string, unknown>> = { uptimeSeconds: 3_600, resetAt: '2026-01-16T00:00:00.000Z' };
/** Fields with random values. */
const RANDOM_FIELDS = new Set(['csrf']);
const LIST_MAX = 2;

/** Returns a function that replaces values; the same id gets the same replacement in all calls. */
export function createStabiliser(startedAt: number): <T>(value: T) => T {
  const uuids = new Map<string, string>();
  const uuidFor = (uuid: string) => {
    if (!uuids.has(uuid)) uuids.set(uuid, `00000000-0000-4000-8000-${String(uuids.size + 1).padStart(12, '0')}`);
    return uuids.get(uuid)!;
  };
  const timeFor = (text: string) => {
    const distance = Date.parse(text) - startedAt;
    if (Math.abs(distance) > CLOCK_MS) return text;
    return new Date(AT_MS + Math.round(distance / HOUR_MS) * HOUR_MS).toISOString();
  };
  const dayFor = (text: string) => {
    const distance = Date.parse(text) - Math.floor(startedAt / DAY_MS) * DAY_MS;
    return Math.abs(distance) > CLOCK_MS ? text : new Date(AT_MS + distance).toISOString().slice(0, DAY_LENGTH);
  };
  const textFor = (text: string) =>
    (DAY.test(text) ? dayFor(text) : text)
      .replaceAll(UUID, uuidFor)
      .replaceAll(TIME, timeFor)
      .replaceAll(TOKEN_SECRET, repeated)
      .replaceAll(SIGNING_SECRET, repeated);
  const stable = (value: unknown, name = ''): unknown => {
    if (Object.hasOwn(CLOCK_FIELDS, name)) return CLOCK_FIELDS[name];
    if (typeof value === 'string' && name === 'nextCursor') return stableCursor(value);
    if (typeof value === 'string') return RANDOM_FIELDS.has(name) ? repeated(value) : textFor(value);
    if (Array.isArray(value)) return value.map((item) => stable(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [textFor(key), stable(item, key)]));
  };
  return <T>(value: T) => stable(value) as T;
}

/** A text of the same length that is obviously no secret. */
function repeated(secret: string): string {
  return 'example'.repeat(Math.ceil(secret.length / 'example'.length)).slice(0, secret.length);
}

function stableCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const stable = text
    .replace(CURSOR_SCOPE, '0'.repeat(16))
    .replace(CURSOR_DIGEST, '0'.repeat(32))
    .replace(CURSOR_ISSUED_AT, String(AT_MS));
  return Buffer.from(stable).toString('base64url');
}

/** The value with long lists of objects and lists shortened. */
export function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isNested = value.every((item) => typeof item === 'object' && item !== null);
    return (isNested ? value.slice(0, LIST_MAX) : value).map(shortened);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
}
