/** Reads all rows of `GET /v1/me/pnl` with their total. */
import type { PlatformAttribution } from '#schemas/domain/control/rows';
import type { Wallet } from '#schemas/domain/control/state';
import { type AccountProvider, accountName, providerFamily } from '#schemas/venues/accounts';
import { knownWallets } from '../queries/known-wallets.ts';
import { readNamedDays, registeredBuilders } from '../queries/named-days.ts';
import { readWalletBooks } from '../queries/read-wallet-books.ts';
import { accountsWithUnknownBuilders } from '../queries/unknown-builders.ts';
import type { Caller, Dependencies } from '../routes/route.ts';
import { sumOfBooks, UNKNOWN } from './figures.ts';
import { type PagedResult, pagedResultOf } from './pnl-pages.ts';
import { toBuilderRecord, toEventRecord, toProviderRecord, toTotal, toWalletRecord } from './records.ts';
import {
  type BuilderRow,
  type EventRow,
  type ProviderRow,
  rowsByBuilder,
  rowsByEvent,
  rowsByProvider,
  rowsByWallet,
  type ShownWallets,
  type SortFigure,
  sortRows,
  type WalletBook,
  type WalletRow,
} from './rows.ts';

export const GROUPS = ['event', 'wallet', 'provider', 'builder'] as const;
type Group = (typeof GROUPS)[number];

export interface RowsQuery {
  readonly groupBy: Group;
  readonly platform: 'all' | 'mine';
  readonly provider?: AccountProvider | undefined;
  /** Unix ms, inclusive. */
  readonly since?: number | undefined;
  /** Unix ms, exclusive. */
  readonly until?: number | undefined;
  /** A figure of the rows, descending with `-`. */
  readonly sort: SortFigure | `-${SortFigure}`;
  /** Rows of a page. */
  readonly limit: number;
}

export interface RowsRead {
  readonly query: RowsQuery;
  readonly caller: Caller;
  /** The selected wallets. */
  readonly wallets: readonly Wallet[];
  /** Those of the caller. */
  readonly attributions: readonly PlatformAttribution[];
  /** Unix ms: events that reached a ledger later are left out; null means none. */
  readonly asOf: number | null;
}

const ONLY_PAGE: PagedResult = { digest: '', size: 0 };

export interface ReadRows extends PagedResult {
  /** Sorted. */
  readonly rows: readonly ReturnType<typeof recordOf>[];
  /** Of all rows. */
  readonly total: ReturnType<typeof toTotal>;
  readonly walletIds: readonly string[];
  /** The newest time at which an event reached one of the ledgers, unix ms; 0 without events. */
  readonly newest: number;
}

export async function readRows(
  { query, caller, wallets, attributions, asOf }: RowsRead,
  { control, views, store }: Pick<Dependencies, 'control' | 'views' | 'store'>,
): Promise<ReadRows> {
  const { groupBy, platform, provider, sort, limit, since = null, until = null } = query;
  const window = { by: 'receivedAt', from: since, before: until, asOf } as const;
  const { known, complete } = await knownWallets(views, wallets);
  const isKnown = (wallet: Wallet) => known.has(wallet);
  const read = await readWalletBooks(store, views, [...known], window, provider);
  const attributed = groupBy === 'builder' || platform === 'mine';
  const exported = platform === 'mine' ? registeredBuilders(control.state, caller) : registeredBuilders(control.state);
  // Without a registered builder of venue_a, no fill of an unknown builder can be of one.
  const unnamed =
    attributed && (platform === 'all' || exported.length > 0)
      ? await accountsWithUnknownBuilders(
          store,
          views.ledgers,
          wallets,
          await readNamedDays(store, views.freshness, exported),
          provider,
        )
      : new Set<string>();
  // A row without a book is partial, too: the fill of an unknown builder may belong to it.
  const isComplete = (wallet: Wallet) =>
    complete.has(wallet) && !unnamed.has(accountName(providerFamily(wallet.provider), wallet.address));
  // What the ledger lacks is in no book, so it makes no other book partial.
  const isWhole = (wallet: Wallet) => isComplete(wallet) && read.agrees(wallet);
  // Rows by builder leave out books without one, and so does their total.
  const isCounted = (book: WalletBook) =>
    (groupBy !== 'builder' || book.builder !== null) && (platform !== 'mine' || isRegistered(book, attributions));
  const selected = read.books.filter(isCounted);
  const books = selected.map((book) => (isComplete(book.wallet) ? book : { ...book, isPartial: true }));
  const walletIds = wallets.map(({ id }) => id);
  const rowsAt = (priced: readonly WalletBook[]) => {
    const rows = rowsOf(groupBy, priced, { wallets, isKnown, isComplete: isWhole }, views.events);
    const sorted = sortRows(rows, sort.replace('-', '') as SortFigure, sort.startsWith('-'));
    const figures = wallets.length > 0 && !wallets.some(isKnown) ? UNKNOWN : sumOfBooks(priced);
    return {
      rows: sorted.map((row) => recordOf(groupBy, row, attributions)),
      total: toTotal({ books: priced, figures }, wallets.every(isWhole)),
      walletIds,
    };
  };
  const result = rowsAt(books);
  const isOnlyPage = asOf === null && result.rows.length <= limit;
  // Marks move, so they are not compared.
  const paged = isOnlyPage ? ONLY_PAGE : pagedResultOf(rowsAt(books.map((book) => ({ ...book, mark: null }))));
  return { ...result, newest: read.newest, ...paged };
}

type AnyRow = EventRow | WalletRow | ProviderRow | BuilderRow;

function rowsOf(
  groupBy: Group,
  books: readonly WalletBook[],
  wallets: ShownWallets,
  events: Parameters<typeof rowsByEvent>[1],
): AnyRow[] {
  switch (groupBy) {
    case 'event':
      return rowsByEvent(books, events);
    case 'wallet':
      return rowsByWallet(books, wallets);
    case 'provider':
      return rowsByProvider(books, wallets);
    case 'builder':
      return rowsByBuilder(books);
  }
}

function recordOf(groupBy: Group, row: AnyRow, attributions: readonly PlatformAttribution[]) {
  switch (groupBy) {
    case 'event':
      return toEventRecord(row as EventRow);
    case 'wallet':
      return toWalletRecord(row as WalletRow);
    case 'provider':
      return toProviderRecord(row as ProviderRow);
    case 'builder':
      return toBuilderRecord(row as BuilderRow, attributions);
  }
}

function isRegistered({ wallet, builder }: WalletBook, attributions: readonly PlatformAttribution[]): boolean {
  const family = providerFamily(wallet.provider);
  return attributions.some((one) => one.provider === family && one.builder === builder);
}
