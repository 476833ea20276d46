import { z } from 'zod';
import type { Level } from '#schemas/domain/book';
import { toNumber } from '#schemas/domain/decimal';
import { fetchedAtField, marketIdField, providerField, universalIdField } from '#schemas/http/fields';
import { clampedInteger } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { spreadSnapshotSchema } from '#schemas/http/spread';
import { booksAsOf } from '../../../queries/books-as-of.ts';
import { findEvent } from '../../../queries/find-event.ts';
import { legBooks } from '../../../queries/leg-books.ts';
import { defineRoute } from '../../route.ts';
import { eventPath } from './event-path.ts';

const levels = z
  .array(
    z.object({
      price: z.number().describe("Price of the event's YES, USD."),
      size: z.number().describe('Shares.'),
    }),
  )
  .describe('Best first; empty where nothing is offered, known or traded.');
const toLevel = ({ price, size }: Level) => ({ price: toNumber(price), size: toNumber(size) });

export const getEventBooks = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/books',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary: "The newest book of every linked market in use, in the event's YES terms: an inverse one at 1 − p.",
  params: eventPath,
  query: z.object({
    depth: clampedInteger({ min: 1, max: 100, fallback: 20 }).describe(
      'The most levels of a side; 1 to 100, clamped; default 20',
    ),
  }),
  response: z.object({
    universalId: universalIdField,
    books: z
      .array(
        z.object({
          provider: providerField,
          marketId: marketIdField,
          state: spreadSnapshotSchema.shape.legs.element.shape.state,
          ts: isoTimeSchema.nullable().describe("The venue's time of its last update; null before the first book."),
          bids: levels,
          asks: levels,
        }),
      )
      .describe('One for each linked market in use, by provider, then market.'),
    fetchedAt: fetchedAtField,
  }),
  async handle({ params, query }, { views, store }) {
    const event = await findEvent(views.events, store, params.universalId);
    // From here on nothing waits, so that all books are of one moment.
    const books = legBooks(views, event, query.depth);
    return {
      universalId: event.universalId,
      books: books.map(({ provider, marketId, state, ts, book }) => ({
        provider,
        marketId,
        state,
        ts: ts === null ? null : isoTime(ts),
        bids: book.bids.map(toLevel),
        asks: book.asks.map(toLevel),
      })),
      fetchedAt: isoTime(booksAsOf(views.freshness, event)),
    };
  },
});
