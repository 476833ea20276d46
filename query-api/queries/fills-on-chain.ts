/** Fills on chain: what the ledgers state of them, with their trades. */
import { tradeIdOf } from '#schemas/domain/ledger/fill-id';
import { VENUES } from '#schemas/domain/providers';
import { unavailable } from '#schemas/errors';
import { bookEventsTable } from '#schemas/tables/book-events';
import { marketsTable } from '#schemas/tables/markets';
import type { StoredTrade } from '#schemas/tables/trades';
import { conditionsOf, type FillRange } from './fill-places.ts';
import { inParts, isOfLedgers } from './ledger-rows.ts';
import { type Query, query, type Reader } from './query.ts';
import { TRADE_COLUMNS } from './read-trades.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

const FILL_COLUMNS = selectColumns(bookEventsTable, 'l', [
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
export type FillRow = RowOf<typeof FILL_COLUMNS>;
const OUTCOME_COLUMNS = selectColumns(marketsTable, 'm', ['marketId', 'instruments', 'outcomes']);
type OutcomeRow = RowOf<typeof OUTCOME_COLUMNS>;

/** A fill of a ledger with its trade. */
export interface ChainFill {
  readonly account: string;
  readonly provider: string;
  /** As the account sees it. */
  readonly own: FillRow;
  readonly ownOutcome: string | null;
  readonly trade: StoredTrade;
}

/** Reads the fills of a range, newest first; reverted ones too. */
export async function readChainFills(store: Reader, range: FillRange): Promise<FillRow[]> {
  const { conditions, parameters } = conditionsOf(range, 'l.ts', 'l.index');
  const rows: FillRow[] = [];
  for (const ledgers of inParts(range.ledgers)) {
    const own = isOfLedgers(ledgers);
    rows.push(
      ...(await query(store, {
        name: 'fills',
        // A fill that came too late for its ledger has no quantity.
        sql: `SELECT ${FILL_COLUMNS}
         FROM book_events AS l FINAL
         WHERE ${[own.sql, `l.kind = 'fill' AND l.qty != 0`, ...conditions].join(' AND ')}
         ORDER BY l.ts DESC, l.index DESC, l.account DESC, l.id DESC, l.state = 'removed'
         LIMIT 1 BY l.account, l.id
         LIMIT {limit:UInt32}`,
        parameters: { ...own.parameters, ...parameters, limit: range.limit },
        parse: (found: FillRow[]) => found,
      })),
    );
  }
  return rows;
}

/**
 * Adds the trade of each fill. A trade that a reorganization moved has several rows; that of the fill's time counts. Rejects
 * with a 503 while the table lacks a trade.
 */
export async function withTrades(store: Reader, rows: readonly FillRow[]): Promise<ChainFill[]> {
  if (rows.length === 0) return [];
  const trades = await query(store, tradesOf(rows));
  const byPlace = new Map(trades.map((trade) => [`${trade.id} ${trade.ts}`, trade]));
  const fills = rows.map((own) => {
    const trade = byPlace.get(`${tradeIdOf(own.id)} ${own.ts}`);
    // The sink writes a trade before its fill, except after a fault.
    if (!trade)
      throw unavailable(
        'the trade of a fill is not stored yet; try again',
        new Error(`the table of trades lacks ${own.id}, a fill of ${own.account}`),
      );
    return { account: own.account, provider: trade.provider, own, trade };
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
  fills: readonly Pick<ChainFill, 'own' | 'trade'>[],
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
