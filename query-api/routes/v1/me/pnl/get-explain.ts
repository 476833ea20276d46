import { z } from 'zod';
import { builderError } from '#schemas/domain/control/fields';
import { walletOf } from '#schemas/domain/control/lookups';
import { ownerName } from '#schemas/domain/control/owner';
import { formatDecimal } from '#schemas/domain/decimal';
import { PRICE_PROVIDERS } from '#schemas/domain/providers';
import { ApiError } from '#schemas/errors';
import { bookEventSchema, explainedBookSchema, openLotSchema } from '#schemas/http/ledger-book';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter } from '#schemas/http/parameters';
import { decimalNumber, decimalNumberOrNull, isoTime } from '#schemas/http/scalars';
import { covers, providerFamily } from '#schemas/venues/accounts';
import { cursorScope } from '../../../../queries/cursor-scope.ts';
import { knownWallets } from '../../../../queries/known-wallets.ts';
import { marketsOfTokens } from '../../../../queries/markets-of-tokens.ts';
import { type BookEvent, readBook } from '../../../../queries/read-book.ts';
import { providerOfBook } from '../../../../queries/read-wallet-books.ts';
import { ledgerOf } from '../../../../queries/select-wallets.ts';
import { defineCallerRoute } from '../../../route.ts';

const ID_MAX = 200;

export const getPnlExplain = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/pnl/explain',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary: 'One book of a wallet: its open lots, and the events from which its figures follow, oldest first.',
  params: z.object({}),
  query: z.object({
    walletId: z.string().describe('The wallet.'),
    marketId: z
      .string()
      .max(ID_MAX)
      .describe('The market of the token, which finds it faster; a coin that is no outcome.')
      .optional(),
    tokenId: z.string().max(ID_MAX).describe('The token; needed for wallets of venue_b.').optional(),
    builder: z
      .string()
      .max(ID_MAX)
      .transform((builder) => builder.toLowerCase())
      .describe('Builder of the book; left out for the book without builder.')
      .optional(),
    limit: clampedInteger({ min: 1, max: 500, fallback: 100 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    book: explainedBookSchema,
    lots: z.array(openLotSchema).describe('All open lots, oldest first.'),
    events: z.array(bookEventSchema).describe('Oldest first.'),
    pagination: paginationSchema,
  }),
  async handle({ query, caller }, { control, views, store }) {
    const { walletId, tokenId, marketId, builder = null, limit, cursor = null } = query;
    const wallet = walletOf(control.state, caller, walletId);
    if (!wallet) throw new ApiError('not_found', 'no such wallet');
    const family = providerFamily(wallet.provider);
    const error = builder === null ? null : builderError(family, builder);
    if (error) throw new ApiError('validation_failed', error);
    // A coin is its own market.
    const instrument = tokenId ?? (family === 'venue_a' ? marketId : undefined);
    const ledger = ledgerOf(views.ledgers, wallet);
    const { known, complete } = await knownWallets(views, [wallet]);
    if (!ledger || !known.has(wallet)) throw noSuchBook();
    const isLoading = !complete.has(wallet);
    if (instrument === undefined)
      throw new ApiError('validation_failed', `tokenId: is required for a wallet of ${family}`);
    const provider = providerOfBook({ account: ledger.account, instrument });
    const isCoin = PRICE_PROVIDERS.has(provider);
    if (!covers(wallet.provider, provider)) throw noSuchBook();
    const scope = cursorScope([ownerName(caller), ledger.ledger, walletId, instrument, builder]);
    const [book, markets] = await Promise.all([
      readBook(store, { ledger, instrument, builder }, limit, cursor, scope),
      isCoin ? null : marketsOfTokens(store, family, [instrument], marketId),
    ]);
    const market = markets?.get(instrument);
    if (!book || (marketId !== undefined && (isCoin ? marketId !== instrument : !market))) throw noSuchBook();
    const { realized, open, lots, events, nextCursor } = book;
    return {
      book: {
        walletId,
        provider,
        marketId: isCoin ? instrument : (market?.marketId ?? null),
        tokenId: isCoin ? null : instrument,
        outcome: market?.outcome ?? null,
        builder,
        openPosition: decimalNumber(formatDecimal(open.qty)),
        avgCost: open.avgCost === null ? null : decimalNumber(formatDecimal(open.avgCost)),
        realized: decimalNumberOrNull(realized),
        coverage: isLoading || book.isPartial ? ('partial' as const) : ('complete' as const),
      },
      lots: lots.map(({ openedBy, openedAt, qty, price }) => ({
        openedBy,
        openedAt: isoTime(openedAt),
        qty: decimalNumber(formatDecimal(qty)),
        price: price === null ? null : decimalNumber(formatDecimal(price)),
      })),
      events: events.map(toBookEvent),
      pagination: toPagination(nextCursor),
    };
  },
});

function noSuchBook(): ApiError {
  return new ApiError('not_found', 'no such book');
}

function toBookEvent({ id, kind, ts, receivedAt, qty, price, realized, fee, closes }: BookEvent) {
  return {
    id,
    kind,
    ts: isoTime(ts),
    receivedAt: isoTime(receivedAt),
    qty: decimalNumber(qty),
    price: decimalNumberOrNull(price),
    realized: decimalNumberOrNull(realized),
    fee: decimalNumberOrNull(fee),
    closes: closes.map((part) => ({ openedBy: part.openedBy, qty: decimalNumber(part.qty) })),
  };
}
