/** Rows of `GET /v1/me/pnl`: the books of wallets, grouped. */
import type { Wallet } from '#schemas/domain/control/state';
import { marketKey, PRICE_PROVIDERS } from '#schemas/domain/providers';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import type { EventIndex } from '../views/event-index.ts';
import { type OpenPart, type Position, positionOf } from './event-terms.ts';
import { type Figures, type PricedBook, sumOfBooks, UNKNOWN } from './figures.ts';

/** A book with the wallet that names its account. */
export interface WalletBook extends PricedBook {
  readonly wallet: Wallet;
  /** The fine-grained provider of its instrument. */
  readonly provider: string;
}

/** Figures of a row; the order of rows is that of one of them. */
export interface Row {
  /** Identifies the row; rows with equal figures are listed in its order. */
  readonly key: string;
  readonly figures: Figures;
  readonly books: readonly WalletBook[];
  /** True if the history of one of its accounts is not complete, whatever its books are. */
  readonly isPartial?: boolean;
}

/** The wallets that are shown, and what is known of them. */
export interface ShownWallets {
  readonly wallets: readonly Wallet[];
  /** True for a wallet with figures. */
  readonly isKnown: (wallet: Wallet) => boolean;
  /** True for one whose history is complete. */
  readonly isComplete: (wallet: Wallet) => boolean;
}

export interface Leg {
  readonly provider: string;
  readonly marketId: string | null;
  /** Null for a coin that is no outcome. */
  readonly tokenId: string | null;
  readonly outcome: string | null;
  readonly figures: Figures;
  /** In terms of the token itself. */
  readonly position: Position;
}

export interface EventRow extends Row {
  readonly event: UniversalEvent | null;
  /** In the event's YES terms. */
  readonly position: Position;
  readonly legs: readonly Leg[];
}

export interface WalletRow extends Row {
  readonly wallet: Wallet;
}

export interface ProviderRow extends Row {
  readonly provider: string;
  readonly walletCount: number;
}

export interface BuilderRow extends ProviderRow {
  readonly builder: string;
}

/** One row for each event; a market without an event, or a token without a market, has its own. */
export function rowsByEvent(books: readonly WalletBook[], events: EventIndex): EventRow[] {
  return groupBy(books, (book) => placeOf(book, events).key).map(([key, own]) => {
    const { event } = placeOf(own[0]!, events);
    const position = positionOf(own.map((book) => openPartOf(book, placeOf(book, events).isInverse)));
    const figures = { ...sumOfBooks(own), openPosition: position.qty };
    return { key, books: own, event, position, figures, legs: legsOf(own) };
  });
}

interface Place {
  readonly key: string;
  readonly event: UniversalEvent | null;
  readonly isInverse: boolean;
}

function placeOf({ instrument, token }: WalletBook, { byMarket, byId }: EventIndex): Place {
  if (!token) return { key: instrument, event: null, isInverse: false };
  const key = marketKey(token.provider, token.marketId);
  const event = byId.get(byMarket.get(key) ?? '');
  const link = event?.links.find((one) => marketKey(one.provider, one.providerMarketId) === key);
  if (!event || !link) return { key, event: null, isInverse: token.index !== token.yesIndex };
  return { key: event.universalId, event, isInverse: isInverse(link, instrument) };
}

function isInverse({ yesInstrument, polarity }: EventLink, instrument: string): boolean {
  return (yesInstrument === instrument) !== (polarity === 'same');
}

function openPartOf({ open, mark }: WalletBook, inverse: boolean): OpenPart {
  return { open, mark, isInverse: inverse };
}

function legsOf(books: readonly WalletBook[]): Leg[] {
  return groupBy(books, (book) => book.instrument).map(([instrument, own]) => {
    const { token, provider } = own[0]!;
    const isCoin = PRICE_PROVIDERS.has(provider);
    return {
      provider,
      marketId: isCoin ? instrument : (token?.marketId ?? null),
      tokenId: isCoin ? null : instrument,
      outcome: token?.outcome ?? null,
      figures: sumOfBooks(own),
      position: positionOf(own.map((book) => openPartOf(book, false))),
    };
  });
}

/** One row for each wallet, also for one of which nothing is known. */
export function rowsByWallet(
  books: readonly WalletBook[],
  { wallets, isKnown, isComplete }: ShownWallets,
): WalletRow[] {
  const byWallet = new Map(groupBy(books, ({ wallet }) => wallet.id));
  return wallets.map((wallet) => {
    const own = byWallet.get(wallet.id) ?? [];
    const figures = isKnown(wallet) ? sumOfBooks(own) : UNKNOWN;
    return { key: wallet.id, wallet, books: own, figures, isPartial: !isComplete(wallet) };
  });
}

/** One row for each provider of the wallets and of their books. */
export function rowsByProvider(
  books: readonly WalletBook[],
  { wallets, isKnown, isComplete }: ShownWallets,
): ProviderRow[] {
  const providers = new Set([...wallets, ...books].map(({ provider }) => provider));
  return [...providers].map((provider) => {
    const ofProvider = books.filter((book) => book.provider === provider);
    const own = wallets.filter(
      (wallet) => wallet.provider === provider || ofProvider.some((book) => book.wallet === wallet),
    );
    const figures = own.some(isKnown) ? sumOfBooks(ofProvider) : UNKNOWN;
    const isPartial = !own.every(isComplete);
    return { key: provider, provider, walletCount: own.length, books: ofProvider, figures, isPartial };
  });
}

/** One row for each builder. @param books those with a builder. */
export function rowsByBuilder(books: readonly WalletBook[]): BuilderRow[] {
  return groupBy(books, ({ provider, builder }) => `${provider} ${builder}`).map(([key, own]) => {
    const { provider, builder } = own[0]!;
    const walletCount = new Set(own.map((book) => book.wallet.id)).size;
    return { key, provider, builder: builder!, walletCount, books: own, figures: sumOfBooks(own) };
  });
}

/** Groups in the order of their first elements. */
function groupBy<T>(list: readonly T[], keyOf: (element: T) => string): [key: string, group: T[]][] {
  const groups = new Map<string, T[]>();
  for (const element of list) {
    const key = keyOf(element);
    const group = groups.get(key);
    if (group) group.push(element);
    else groups.set(key, [element]);
  }
  return [...groups];
}

/** What rows are sorted by. */
export const SORT_FIGURES = ['realized', 'unrealized', 'openPosition', 'totalNotional', 'tradeCount'] as const;
export type SortFigure = (typeof SORT_FIGURES)[number];

/** Sorts rows by a figure, rows in which it is unknown last in either order, then by their keys. */
export function sortRows<R extends Row>(rows: readonly R[], figure: SortFigure, isDescending: boolean): R[] {
  return rows.toSorted(
    (a, b) => compareFigures(a.figures[figure], b.figures[figure], isDescending) || compareText(a.key, b.key),
  );
}

type Figure = bigint | number | null;

function compareFigures(a: Figure, b: Figure, isDescending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return (a < b ? -1 : 1) * (isDescending ? -1 : 1);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
