import { z } from 'zod';
import type { LadderRow } from '#schemas/domain/arbitrage/ladder';
import { ARBITRAGE_KINDS } from '#schemas/domain/arbitrage/pair';
import { type Decimal, parseDecimal, toNumber, ZERO } from '#schemas/domain/decimal';
import { fetchedAtField, universalIdField } from '#schemas/http/fields';
import { decimalParameter } from '#schemas/http/parameters';
import { isoTime } from '#schemas/http/scalars';
import { areBooksBehind, booksAsOf } from '../../../../queries/books-as-of.ts';
import { eventLadder } from '../../../../queries/event-ladder.ts';
import { findEvent } from '../../../../queries/find-event.ts';
import { MISSING_EDGE_REASONS, type MissingEdgeReason, REASONS_TEXT } from '../../../../queries/missing-edge.ts';
import { defineRoute } from '../../../route.ts';
import { eventPath } from '../event-path.ts';

const SIZES_MAX = 20;
const DEFAULT_SIZES = '10,50,100,500,1000,5000';

const kindField = z.enum(ARBITRAGE_KINDS);

const sizesParameter = z
  .string()
  .default(DEFAULT_SIZES)
  .transform((text, context) => {
    const sizes = text.split(',');
    const isEachSize = sizes.every((size) => decimalParameter.safeParse(size).success && parseDecimal(size) > ZERO);
    if (sizes.length <= SIZES_MAX && isEachSize) return sizes;
    const message = `must be 1 to ${SIZES_MAX} numbers of shares above 0, separated by commas`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .describe(`1 to ${SIZES_MAX} numbers of shares, separated by commas; default ${DEFAULT_SIZES}`);

const sizeField = z.number().describe('Shares, as asked for.');
const quotedRow = z.object({
  size: sizeField,
  grossEdge: z.number().describe('USD per share from the best prices.'),
  netEdge: z.number().describe('USD per share after walking both books and fees.'),
  buyPrice: z.number().describe('Average price at which YES is bought, USD per share.'),
  sellPrice: z
    .number()
    .describe('Average price at which YES is sold, of a negation pair that at which NO is bought, USD per share.'),
  buyFee: z.number().describe('Taker fee of buying YES, USD per share.'),
  sellFee: z.number().describe('Taker fee of selling YES or buying NO, USD per share.'),
  profitUsd: z.number().describe('USD for the full size, after fees; negative for a loss.'),
});
const missingRow = z.object({ size: sizeField, reason: z.enum(MISSING_EDGE_REASONS).describe(REASONS_TEXT) });

export const getLadder = defineRoute({
  method: 'GET',
  path: '/v1/events/:universalId/arbitrage/ladder',
  scope: 'read',
  sku: 'api.request',
  cacheTtlMs: 0,
  summary:
    'What the best pair of markets of an event earns at several sizes, from the newest books, and up to which size it earns anything.',
  params: eventPath,
  query: z.object({
    kind: kindField.describe('Which of the two forms.'),
    sizes: sizesParameter,
  }),
  response: z.object({
    universalId: universalIdField,
    kind: kindField.describe('As asked for.'),
    rows: z.array(z.union([quotedRow, missingRow])).describe('One for each size, in the order of `sizes`.'),
    breakEvenSize: z
      .number()
      .nullable()
      .describe('The largest size without a loss, in steps of 0.000001 shares; null if no size is profitable.'),
    bestSize: z
      .number()
      .nullable()
      .describe('The size with the largest profit, at the end of a level of a book; null if no size is profitable.'),
    quoteAgeMs: z
      .number()
      .int()
      .nullable()
      .describe("Age of the older book's last frame, ms; null if no pair of markets can be quoted."),
    fetchedAt: fetchedAtField,
  }),
  async handle({ params, query: { kind, sizes } }, { views: { events, questionBooks, freshness }, store }) {
    const event = await findEvent(events, store, params.universalId);
    const { universalId } = event;
    const asOf = booksAsOf(freshness, event);
    const now = Math.max(freshness.now() ?? asOf, asOf);
    const quotedSize = events.arbitrage.get(universalId)?.get(kind)?.size;
    const { rows, breakEvenSize, bestSize, reason, bookAt } = eventLadder(
      event,
      kind,
      sizes.map(parseDecimal),
      quotedSize === undefined ? null : parseDecimal(quotedSize),
      {
        books: questionBooks.books,
        statuses: events.statuses,
        isBehind: areBooksBehind(freshness),
        now,
      },
    );
    return {
      universalId,
      kind,
      rows: rows.map((row) => toRow(row, reason)),
      breakEvenSize: numberOrNull(breakEvenSize),
      bestSize: numberOrNull(bestSize),
      quoteAgeMs: bookAt === null ? null : Math.max(0, now - bookAt),
      fetchedAt: isoTime(asOf),
    };
  },
});

function toRow({ size, quote }: LadderRow, reason: MissingEdgeReason) {
  if (quote === null) return { size: toNumber(size), reason };
  return {
    size: toNumber(size),
    grossEdge: toNumber(quote.grossEdge),
    netEdge: toNumber(quote.netEdge),
    buyPrice: toNumber(quote.firstPrice),
    sellPrice: toNumber(quote.secondPrice),
    buyFee: toNumber(quote.firstFee),
    sellFee: toNumber(quote.secondFee),
    profitUsd: toNumber(quote.profit),
  };
}

function numberOrNull(value: Decimal | null): number | null {
  return value === null ? null : toNumber(value);
}
