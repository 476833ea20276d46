/**
 * Keeps what the first page of a cursor was cut from, so that its other pages show the same state. Another process, or
 * one that does not have it any more, calculates it again: the digest in the cursor shows whether anything but marks changed.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#schemas/errors';
import { formatCursor, invalidCursor, readCursor } from '../queries/time-cursor.ts';

/** How long the pages after a first one can be read. */
const CURSOR_MS = 600_000;
/** Estimated size of all results, in characters of their JSON. */
const CHARACTERS_MAX = 32 * 1024 * 1024;

/** What pages are cut from. */
export interface PagedResult {
  readonly digest: string;
  /** Characters of its JSON. */
  readonly size: number;
}

/** A page: which state it shows, when the first page was read, and how many rows precede it. */
export interface Page {
  /** Unix ms: events that reached a ledger later are left out. */
  readonly asOf: number;
  readonly digest: string;
  /** Unix ms. */
  readonly issuedAt: number;
  readonly offset: number;
}

export class PnlPages<T extends PagedResult> {
  private readonly results: LRUCache<string, T>;

  /** @param now monotonic ms. */
  constructor(now: () => number = () => performance.now(), charactersMax = CHARACTERS_MAX) {
    this.results = new LRUCache({
      maxSize: charactersMax,
      sizeCalculation: ({ size }) => size + 1,
      ttl: CURSOR_MS,
      perf: { now },
      ttlResolution: 0,
    });
  }

  /** Keeps a result of which there are more pages. The scope contains the caller. */
  keep(scope: string, issuedAt: number, result: T): void {
    this.results.set(`${scope}/${issuedAt}/${result.digest}`, result);
  }

  /**
   * Returns the result of the first page: held, or calculated again as of then. Throws 400 if it is not held and the
   * figures changed.
   */
  async find(scope: string, { asOf, digest, issuedAt }: Page, read: (asOf: number) => Promise<T>): Promise<T> {
    const held = this.results.get(`${scope}/${issuedAt}/${digest}`);
    if (held) return held;
    const result = await read(asOf);
    if (result.digest !== digest)
      throw new ApiError('validation_failed', 'cursor: earlier figures changed; begin with the first page again');
    this.keep(scope, issuedAt, result);
    return result;
  }
}

/** Returns the digest and the size of a result. @param unpriced the result without what marks change. */
export function pagedResultOf(unpriced: unknown): PagedResult {
  const text = JSON.stringify(unpriced);
  return { digest: createHash('sha256').update(text).digest('hex').slice(0, 32), size: text.length };
}

export function cursorOf({ asOf, digest, issuedAt, offset }: Page, scope: string): string {
  return formatCursor({ at: asOf, id: `${scope}/${digest}/${issuedAt}/${offset}` });
}

/** Throws 400 for a cursor of another scope, and for one that is too old. */
export function pageOf(cursor: string, scope: string, now: number): Page {
  const { at, id } = readCursor(cursor);
  const parts = /^(\w+)\/(\w+)\/(\d{1,15})\/(\d{1,9})$/.exec(id);
  if (!parts || parts[1] !== scope) throw invalidCursor();
  const issuedAt = Number(parts[3]);
  if (now - issuedAt > CURSOR_MS)
    throw new ApiError('validation_failed', 'cursor: is older than 10 minutes; begin with the first page again');
  return { asOf: at, digest: parts[2]!, issuedAt, offset: Number(parts[4]) };
}
