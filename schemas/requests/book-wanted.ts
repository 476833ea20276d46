import { z } from 'zod';
import { defineKind } from './kind.ts';

/** For how long a read makes a book count as requested (contract, The venue's limits). */
const WANTED_MS = 60_000;
/** A node repeats its requests after this time, also so that a restarted ingest learns of them. */
const REPEAT_MS = 15_000;
/** For how long a request holds: reads until its repetition cause none. */
export const BOOK_WANTED_MS = WANTED_MS + REPEAT_MS;

/** States that somebody reads the books of coins of venue_a, so that they are subscribed where there is room. */
export const bookWanted = defineKind({
  name: 'venue_a.book-wanted',
  params: z.object({ coins: z.array(z.string().max(40)).max(1_000) }),
  result: z.object({}),
  limits: { perOrganization: 1_000, total: 2_000 },
  waitMs: 10_000,
  lifetimeMs: () => REPEAT_MS,
});
