import { z } from 'zod';
import { ownerName } from '#schemas/domain/control/owner';
import { attributionRows, type PlatformAttribution } from '#schemas/domain/control/rows';
import type { Wallet } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter, timeParameter } from '#schemas/http/parameters';
import {
  builderRowSchema,
  eventRowSchema,
  pnlTotalSchema,
  providerRowSchema,
  walletRowSchema,
} from '#schemas/http/pnl';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { providerFamily } from '#schemas/venues/accounts';
import { sumOfBooks, UNKNOWN } from '../../../pnl/figures.ts';
import { toBuilderRecord, toEventRecord, toProviderRecord, toTotal, toWalletRecord } from '../../../pnl/records.ts';
import {
  type BuilderRow,
  type EventRow,
  type ProviderRow,
  rowsByBuilder,
  rowsByEvent,
  rowsByProvider,
  rowsByWallet,
  type ShownWallets,
  SORT_FIGURES,
  type SortFigure,
  sortRows,
  type WalletBook,
  type WalletRow,
} from '../../../pnl/rows.ts';
import { cursorScope } from '../../../queries/cursor-scope.ts';
import { knownWallets } from '../../../queries/known-wallets.ts';
import { readNamedDays, registeredBuilders } from '../../../queries/named-days.ts';
import { readWalletBooks } from '../../../queries/read-wallet-books.ts';
import { selectWalletsOf } from '../../../queries/select-wallets.ts';
import { formatCursor, invalidCursor, readCursor } from '../../../queries/time-cursor.ts';
import { accountsWithUnknownBuilders } from '../../../queries/unknown-builders.ts';
import { defineCallerRoute } from '../../route.ts';
import { walletSelection } from './wallet-selection.ts';

const GROUPS = ['event', 'wallet', 'provider', 'builder'] as const;
type Group = (typeof GROUPS)[number];
const SORTS = SORT_FIGURES.flatMap((figure) => [figure, `-${figure}`] as const);
/** How long the pages after a first one can be read. */
const CURSOR_MS = 600_000;

const alias = (group: string) => `Deprecated: the rows, with \`groupBy=${group}\`.`;

export const getPnl = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/pnl',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary: 'What the bound wallets realized and hold, by event, wallet, provider or builder.',
  params: z.object({}),
  query: z.object({
    groupBy: z.enum(GROUPS).default('event').describe('What a row is; not `provider` together with `provider`.'),
    platform: z.enum(['all', 'mine']).default('all').describe('`mine`: only books of builders that are registered.'),
    ...walletSelection,
    since: timeParameter.describe('unix ms or ISO-8601 at which an event reached the ledger, inclusive').optional(),
    until: timeParameter.describe('unix ms or ISO-8601 at which an event reached the ledger, exclusive').optional(),
    sort: z.enum(SORTS).default('-realized').describe('A figure of the rows, descending with `-`; unknown ones last.'),
    limit: clampedInteger({ min: 1, max: 500, fallback: 100 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    total: pnlTotalSchema.describe('Of all rows of all pages.'),
    data: z
      .array(z.union([eventRowSchema, walletRowSchema, providerRowSchema, builderRowSchema]))
      .describe('Rows of the kind that `groupBy` selects.'),
    byEvent: z.array(eventRowSchema).describe(alias('event')).optional(),
    byWallet: z.array(walletRowSchema).describe(alias('wallet')).optional(),
    byProvider: z.array(providerRowSchema).describe(alias('provider')).optional(),
    pagination: paginationSchema,
    applied: z
      .object({
        walletIds: z.array(z.string()).describe('The selected wallets.'),
        provider: z.string().nullable().describe('As requested; null for all.'),
        groupBy: z.enum(GROUPS).describe('As requested.'),
        sort: z.enum(SORTS).describe('As requested.'),
        platform: z.enum(['all', 'mine']).describe('As requested.'),
        since: isoTimeSchema.nullable().describe('Start of the window; null without one.'),
        until: isoTimeSchema.nullable().describe('End of the window; null without one.'),
      })
      .describe('What the rows follow from.'),
  }),
  async handle({ query, caller }, { control, views, store }) {
    const { groupBy, platform, provider, sort, limit, cursor = null, since = null, until = null } = query;
    if (groupBy === 'provider' && provider !== undefined)
      throw new ApiError('validation_failed', 'provider: cannot be combined with groupBy=provider');
    if (since !== null && until !== null && since > until)
      throw new ApiError('validation_failed', 'since: must not be after until');
    const wallets = selectWalletsOf(control.state, caller, query);
    const attributions = attributionRows(control.state, caller);
    if (platform === 'mine' && attributions.length === 0)
      throw new ApiError('no_platform_attribution', 'platform: no builder is registered');
    const { walletId, walletAddress } = query;
    const scope = cursorScope([
      ownerName(caller),
      groupBy,
      platform,
      provider,
      walletId,
      walletAddress,
      since,
      until,
      sort,
    ]);
    const page = cursor === null ? null : pageOf(cursor, scope, Date.now());
    const window = { by: 'receivedAt', from: since, before: until, asOf: page?.asOf ?? null } as const;
    const { known, complete } = await knownWallets(views, wallets);
    const isKnown = (wallet: Wallet) => known.has(wallet);
    const isComplete = (wallet: Wallet) => complete.has(wallet);
    const read = await readWalletBooks(store, views, [...known], window, provider);
    const attributed = groupBy === 'builder' || platform === 'mine';
    const exported =
      platform === 'mine' ? registeredBuilders(control.state, caller) : registeredBuilders(control.state);
    const unnamed = attributed
      ? await accountsWithUnknownBuilders(
          store,
          views.ledgers,
          wallets,
          await readNamedDays(store, views.freshness, exported),
          provider,
        )
      : new Set<string>();
    // Rows by builder leave out books without one, and so does their total.
    const isCounted = (book: WalletBook) =>
      (groupBy !== 'builder' || book.builder !== null) && (platform !== 'mine' || isRegistered(book, attributions));
    const selected = read.books.filter(isCounted);
    const books = selected.map((book) =>
      unnamed.has(book.account) || !isComplete(book.wallet) ? { ...book, isPartial: true } : book,
    );
    const rows = rowsOf(groupBy, books, { wallets, isKnown, isComplete }, views.events);
    const sorted = sortRows(rows, sort.replace('-', '') as SortFigure, sort.startsWith('-'));
    const offset = page?.offset ?? 0;
    const data = sorted.slice(offset, offset + limit).map((row) => recordOf(groupBy, row, attributions));
    const next = { asOf: page?.asOf ?? read.newest, issuedAt: page?.issuedAt ?? Date.now(), offset: offset + limit };
    const figures = wallets.length > 0 && !wallets.some(isKnown) ? UNKNOWN : sumOfBooks(books);
    return {
      total: toTotal({ books, figures }, wallets.every(isComplete) && unnamed.size === 0),
      data,
      ...(groupBy === 'builder' ? {} : { [ALIASES[groupBy]]: data }),
      pagination: toPagination(next.offset < sorted.length ? cursorOf(next, scope) : null),
      applied: {
        walletIds: wallets.map(({ id }) => id),
        provider: provider ?? null,
        groupBy,
        sort,
        platform,
        since: since === null ? null : isoTime(since),
        until: until === null ? null : isoTime(until),
      },
    };
  },
});

const ALIASES = { event: 'byEvent', wallet: 'byWallet', provider: 'byProvider' } as const;
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

/** A page: which state it shows, when the first page was read, and how many rows precede it. */
interface Page {
  readonly asOf: number;
  readonly issuedAt: number;
  readonly offset: number;
}

function cursorOf({ asOf, issuedAt, offset }: Page, scope: string): string {
  return formatCursor({ at: asOf, id: `${scope}/${issuedAt}/${offset}` });
}

function pageOf(cursor: string, scope: string, now: number): Page {
  const { at, id } = readCursor(cursor);
  const parts = /^(\w+)\/(\d{1,15})\/(\d{1,9})$/.exec(id);
  if (!parts || parts[1] !== scope) throw invalidCursor();
  const issuedAt = Number(parts[2]);
  if (now - issuedAt > CURSOR_MS)
    throw new ApiError('validation_failed', 'cursor: is older than 10 minutes; begin with the first page again');
  return { asOf: at, issuedAt, offset: Number(parts[3]) };
}
