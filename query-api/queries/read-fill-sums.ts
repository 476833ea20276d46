/** Sums the fills of ledgers in a window of venue time, by account and provider. */
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import { QUOTE_TOKENS } from '#schemas/venues/venue-a/fills';
import { inParts, isOfLedgers, type LedgerPart } from './ledger-rows.ts';
import { LACKS_BUILDER, type NamedDays } from './named-days.ts';
import { query, type Reader } from './query.ts';

export interface FillWindow {
  /** Unix ms, inclusive; null for all time. */
  readonly from: number | null;
  /** Unix ms, exclusive. */
  readonly to: number;
}

/** What the fills of an account with a provider sum up to; null where the venue states no such figure, or one is unknown. */
export interface FillSums {
  readonly account: string;
  readonly provider: string;
  readonly volumeUsd: Decimal;
  readonly realizedPnlUsd: Decimal | null;
  readonly tradingFeeUsd: Decimal | null;
  readonly builderFeeUsd: Decimal | null;
  readonly tradeCount: number | null;
  /** A fill paid a builder that is not known yet. */
  readonly hasUnknownBuilder: boolean;
}

interface Row {
  readonly account: string;
  readonly provider: string;
  readonly volume: string;
  readonly realized: string;
  readonly tradingFee: string;
  readonly builderFee: string;
  readonly trades: number;
  readonly unknownFees: number;
  readonly unknownBuilders: number;
}

/**
 * @param builders of which fills count; null for all fills.
 * @param namedDays on which no builder is missing (`readNamedDays`).
 */
export async function readFillSums(
  store: Reader,
  ledgers: readonly LedgerPart[],
  { from, to }: FillWindow,
  builders: readonly string[] | null,
  namedDays: NamedDays,
): Promise<FillSums[]> {
  const allBuilders = builders === null ? 1 : 0;
  const window = { from: from ?? 0, to, builders: builders ?? [], allBuilders, ...namedDays };
  const sums: FillSums[] = [];
  for (const part of inParts(ledgers.filter(({ account }) => account.startsWith('venue_a:'))))
    sums.push(...(await venueASums(store, part, window)));
  for (const part of inParts(ledgers.filter(({ account }) => account.startsWith('venue_b:'))))
    sums.push(...(await venueBSums(store, part, window)));
  return sums;
}

type Window = Readonly<Record<'from' | 'to' | 'allBuilders', number>> &
  NamedDays & { readonly builders: readonly string[] };

const inWindow = (column: string) =>
  `${column} >= fromUnixTimestamp64Milli({from:Int64}) AND ${column} < fromUnixTimestamp64Milli({to:Int64})`;
const BUILDER_COUNTS = "({allBuilders:UInt8} = 1 OR has({builders:Array(String)}, ifNull(l.builder, '')))";
const asText = (sum: string) => `toString(toDecimal256(${sum}, 18))`;
const wide = (column: string) => `toDecimal256(${column}, 18)`;

function venueASums(store: Reader, ledgers: readonly LedgerPart[], window: Window): Promise<FillSums[]> {
  // A fee in the token that was bought or sold counts at the price of the fill, one in a quote token as USD.
  const usd = (amount: string) => `if(l.isFeeTraded, ${amount} * ${wide('l.price')}, ${amount} * toDecimal256(1, 18))`;
  const sumOf = (value: string) => asText(`sumIf(${value}, isCounted)`);
  const own = isOfLedgers(ledgers, 'l.provider');
  return query(store, {
    name: 'fill-sums',
    sql: `SELECT l.account AS account, l.provider AS provider,
         ${sumOf(`${wide('l.price')} * ${wide('l.qty')}`)} AS volume,
         ${sumOf(wide('l.closedPnl'))} AS realized,
         ${sumOf(usd(`(${wide('l.fee')} - ${wide('ifNull(l.builderFee, 0)')})`))} AS tradingFee,
         ${sumOf(usd(wide('ifNull(l.builderFee, 0)')))} AS builderFee,
         toFloat64(countIf(isCounted)) AS trades,
         toFloat64(countIf(isCounted AND l.fee != 0 AND NOT l.isFeeTraded AND NOT has({quotes:Array(String)}, l.feeToken))) AS unknownFees,
         toFloat64(countIf(${LACKS_BUILDER})) AS unknownBuilders
       FROM (SELECT *, ${BUILDER_COUNTS} AS isCounted FROM account_fills AS l FINAL
         WHERE ${own.sql} AND ${inWindow('l.time')}) AS l
       GROUP BY l.account, l.provider`,
    parameters: { ...own.parameters, ...window, quotes: [...QUOTE_TOKENS] },
    parse: (rows: Row[]) => rows.map(toVenueA),
  });
}

function toVenueA(row: Row): FillSums {
  const { account, provider, volume, realized, tradingFee, builderFee, trades, unknownFees, unknownBuilders } = row;
  return {
    account,
    provider,
    volumeUsd: parseDecimal(volume),
    realizedPnlUsd: parseDecimal(realized),
    tradingFeeUsd: unknownFees > 0 ? null : parseDecimal(tradingFee),
    builderFeeUsd: unknownFees > 0 ? null : parseDecimal(builderFee),
    tradeCount: trades,
    hasUnknownBuilder: unknownBuilders > 0,
  };
}

/** On venue_b the legs of an account are the fills of its ledger. */
function venueBSums(store: Reader, ledgers: readonly LedgerPart[], window: Window): Promise<FillSums[]> {
  const own = isOfLedgers(ledgers);
  return query(store, {
    name: 'leg-sums',
    sql: `SELECT l.account AS account, ${asText('sum(l.notional)')} AS volume
     FROM book_events AS l FINAL
     WHERE ${own.sql} AND l.state = 'applied' AND l.kind = 'fill' AND ${inWindow('l.ts')} AND ${BUILDER_COUNTS}
     GROUP BY l.account`,
    parameters: { ...own.parameters, ...window },
    parse: (rows: Pick<Row, 'account' | 'volume'>[]) =>
      rows.map(({ account, volume }) => ({
        account,
        provider: 'venue_b',
        volumeUsd: parseDecimal(volume),
        realizedPnlUsd: null,
        tradingFeeUsd: null,
        builderFeeUsd: null,
        tradeCount: null,
        hasUnknownBuilder: false,
      })),
  });
}
