import type { Parameter } from '#infra/store/store';
import { tradeIdOf } from '#schemas/domain/ledger/fill-id';
import { VENUES } from '#schemas/domain/providers';
import { ledgerEventsTable } from '#schemas/tables/ledger-events';
import { marketsTable } from '#schemas/tables/markets';
import type { StoredTrade } from '#schemas/tables/trades';
import type { FollowedLedger } from '#schemas/topics/ledgers';
import { IS_OF_LEDGERS, inParts, ledgerParameters } from './ledger-rows.ts';
import { type Query, query, type Reader } from './query.ts';
import { TRADE_COLUMNS } from './read-trades.ts';
import { type RowOf, selectColumns } from './select-columns.ts';
import { type CursorKey, formatCursor, invalidCursor, readCursor } from './time-cursor.ts';

const FILL_COLUMNS = selectColumns(ledgerEventsTable, 'l', [
  'account',
  'id',
  'state',
  'at',
  'index',
  'ts',
  'instrument',
  'builder',
  'qty',
  'price',
  'fee',
  'role',
  'tradedInstrument',
]);
type FillRow = RowOf<typeof FILL_COLUMNS>;
const OUTCOME_COLUMNS = selectColumns(marketsTable, 'm', ['marketId', 'instruments', 'outcomes']);
type OutcomeRow = RowOf<typeof OUTCOME_COLUMNS>;

export interface FillFilter {
  readonly ledgers: readonly FollowedLedger[];
  /** Unix ms of the venue, inclusive; null means no bound. */
  readonly since: number | null;
  /** Unix ms of the venue, exclusive; null means no bound. */
  readonly until: number | null;
  readonly limit: number;
  readonly cursor: string | null;
  /** Identifies the other parameters: a cursor is valid with those that it was returned for. */
  readonly scope: string;
}

/** A fill of a ledger with its trade. */
export interface StoredFill {
  readonly account: string;
  /** As the account sees it. */
  readonly own: FillRow;
  readonly ownOutcome: string | null;
  readonly trade: StoredTrade;
}

export interface FillPage {
  readonly fills: readonly StoredFill[];
  readonly nextCursor: string | null;
}

/**
 * Pages through the fills of ledgers, newest first by the venue's time, then by log index. Reverted ones are listed with
 * the trade that was reverted. Throws 400 for an invalid cursor.
 */
export async function readFills(store: Reader, filter: FillFilter): Promise<FillPage> {
  const after = filter.cursor === null ? null : placeOf(readCursor(filter.cursor), filter.scope);
  const rows: FillRow[] = [];
  for (const ledgers of inParts(filter.ledgers))
    rows.push(...(await query(store, fillRows({ ...filter, ledgers }, after))));
  rows.sort(newestFirst);
  const own = rows.slice(0, filter.limit);
  const last = own.at(-1);
  return {
    fills: await withTrades(store, own),
    nextCursor: rows.length > filter.limit && last ? cursorOf(last, filter.scope) : null,
  };
}

/** One row more than requested shows whether there is a next page. */
function fillRows({ ledgers, since, until, limit }: FillFilter, after: Place | null): Query<FillRow[]> {
  const conditions = [
    IS_OF_LEDGERS,
    // A fill that came too late for its ledger has no quantity.
    `l.kind = 'fill' AND l.qty != 0`,
    ...(since === null ? [] : ['l.ts >= fromUnixTimestamp64Milli({since:Int64})']),
    ...(until === null ? [] : ['l.ts < fromUnixTimestamp64Milli({until:Int64})']),
    ...(after === null
      ? []
      : [
          `(l.ts, l.index, l.account, l.id) <
           (fromUnixTimestamp64Milli({afterTs:Int64}), {afterIndex:UInt64}, {afterAccount:String}, {afterId:String})`,
        ]),
  ];
  const parameters: Record<string, Parameter> = {
    ...ledgerParameters(ledgers),
    limit: limit + 1,
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
    ...after,
  };
  return {
    name: 'fills',
    sql: `SELECT ${FILL_COLUMNS}
     FROM ledger_events AS l FINAL
     WHERE ${conditions.join(' AND ')}
     ORDER BY l.ts DESC, l.index DESC, l.account DESC, l.id DESC, l.state = 'removed'
     LIMIT 1 BY l.account, l.id
     LIMIT {limit:UInt32}`,
    parameters,
    parse: (rows: FillRow[]) => rows,
  };
}

/** The order of the statement, by bytes of the texts. */
function newestFirst(a: FillRow, b: FillRow): number {
  return b.ts - a.ts || b.index - a.index || compareText(b.account, a.account) || compareText(b.id, a.id);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface Place {
  readonly afterTs: number;
  readonly afterIndex: number;
  readonly afterAccount: string;
  readonly afterId: string;
}

function cursorOf({ ts, index, account, id }: FillRow, scope: string): string {
  return formatCursor({ at: ts, id: `${scope}/${index}/${account}/${id}` });
}

function placeOf({ at, id }: CursorKey, scope: string): Place {
  const parts = /^(\w+)\/(\d{1,15})\/([^/]+)\/(.+)$/.exec(id);
  if (!parts || parts[1] !== scope) throw invalidCursor();
  return { afterTs: at, afterIndex: Number(parts[2]), afterAccount: parts[3]!, afterId: parts[4]! };
}

/** Adds the trade of each fill. A trade that a reorganization moved has several rows; that of the fill's time counts. */
async function withTrades(store: Reader, rows: readonly FillRow[]): Promise<StoredFill[]> {
  if (rows.length === 0) return [];
  const trades = await query(store, tradesOf(rows));
  const byPlace = new Map(trades.map((trade) => [`${trade.id} ${trade.ts}`, trade]));
  const fills = rows.map((own) => {
    const trade = byPlace.get(`${tradeIdOf(own.id)} ${own.ts}`);
    if (!trade) throw new Error(`the table of trades lacks ${own.id}, a fill of ${own.account}`);
    return { account: own.account, own, trade };
  });
  const outcomes = await outcomesOfComplements(store, fills);
  return fills.map((fill) => {
    const { own, trade } = fill;
    const isSame = own.instrument === trade.instrument;
    return { ...fill, ownOutcome: isSame ? trade.outcome : (outcomes.get(own.instrument) ?? null) };
  });
}

function tradesOf(rows: readonly FillRow[]): Query<StoredTrade[]> {
  const times = rows.map(({ ts }) => ts);
  const ids = [...new Set(rows.map(({ id }) => tradeIdOf(id)))];
  return {
    name: 'trades-of-fills',
    sql: `SELECT ${TRADE_COLUMNS}
     FROM trades AS t FINAL
     WHERE provider IN {providers:Array(String)} AND instrument IN {instruments:Array(String)}
       AND t.ts >= fromUnixTimestamp64Milli({oldest:Int64}) AND t.ts <= fromUnixTimestamp64Milli({newest:Int64})
       AND id IN {ids:Array(String)}`,
    parameters: {
      providers: [...new Set(ids.map((id) => id.slice(0, id.indexOf(':'))))],
      instruments: [...new Set(rows.map(({ tradedInstrument }) => tradedInstrument!))],
      oldest: Math.min(...times),
      newest: Math.max(...times),
      ids,
    },
    parse: (trades: StoredTrade[]) => trades,
  };
}

/** Reads the names of outcomes that makers traded while the taker traded their complement, by instrument. */
async function outcomesOfComplements(
  store: Reader,
  fills: readonly Pick<StoredFill, 'own' | 'trade'>[],
): Promise<ReadonlyMap<string, string>> {
  const complements = fills.filter(({ own, trade }) => own.instrument !== trade.instrument);
  const marketIds = new Set(complements.flatMap(({ trade: { marketId } }) => (marketId === null ? [] : [marketId])));
  if (marketIds.size === 0) return new Map();
  return query(store, {
    name: 'outcomes-of-fills',
    sql: `SELECT ${OUTCOME_COLUMNS}
     FROM markets AS m FINAL
     WHERE venue IN {venues:Array(String)} AND marketId IN {marketIds:Array(String)}`,
    parameters: { venues: VENUES, marketIds: [...marketIds] },
    parse: (markets: OutcomeRow[]) =>
      new Map(
        markets.flatMap(({ instruments, outcomes }) =>
          instruments.map((instrument, at) => [instrument, outcomes[at]!] as const),
        ),
      ),
  });
}
