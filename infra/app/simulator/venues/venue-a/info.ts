import { hashOf, STREAM } from '../../world/hash.ts';
import { isListed } from '../../world/ladder-board.ts';
import { HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { createAccounts } from './accounts.ts';
import { aggregatedBookText, isAggregation } from './aggregated-book.ts';
import { createCandleWriter, isInterval } from './candles.ts';
import { outcomeMeta, perpDexs, perpMeta, settledOutcome, spotMeta } from './catalog.ts';
import { delistedContextText, perpContextText, spotContextText } from './contexts.ts';
import type { Markets } from './market.ts';
import { midText, tradeText } from './market-text.ts';
import { portfolio } from './portfolio.ts';

/** Answer to `POST /info`: HTTP status and body text. */
export interface InfoAnswer {
  readonly status: number;
  readonly text: string;
}

/** Answer to an unknown type or an unreadable body (venue page, section 1). */
export const UNREADABLE: InfoAnswer = {
  status: 422,
  text: 'Failed to deserialize the JSON body into the target type',
};
/** Trades of a `recentTrades` answer, and of the first frame after a subscription. */
const RECENT_TRADES = 10;

type Body = Readonly<Record<string, unknown>>;
type Handler = (body: Body, atMs: number) => string | null | Promise<string | null>;

/** Mids of every market of a dex as JSON text. The main dex includes spot pairs and outcome coins. */
export function midsText(markets: Markets, dex: string, atMs: number): string {
  const ladders = markets.listed(atMs).filter((market) => market.dex === dex);
  const listed = dex === '' ? [...ladders, ...markets.outcomes(atMs)] : ladders;
  const mids = listed.map((market) => `"${market.coin}":"${midText(markets.bookAt(market, atMs, 1).book)}"`);
  return `{${mids.join(',')}}`;
}

/** Contexts of a dex, in the order of its universe. */
export function perpContextsText(world: World, markets: Markets, dex: string, atMs: number): string {
  const universe = world.ladders.universe(dex, atMs) ?? [];
  const contexts = universe.map((ladder) =>
    isListed(ladder, atMs) ? perpContextText(world, markets, ladder, atMs) : delistedContextText(world, ladder),
  );
  return `[${contexts.join(',')}]`;
}

/** `{ctxs}` of all dexes as JSON text, the main one first. */
export function allContextsText(world: World, markets: Markets, atMs: number): string {
  const dexes = world.ladders.dexNames(atMs).map((dex) => `["${dex}",${perpContextsText(world, markets, dex, atMs)}]`);
  return `{"ctxs":[${dexes.join(',')}]}`;
}

/** Contexts of all spot pairs as JSON text. */
export function spotContextsText(world: World, markets: Markets, atMs: number): string {
  const contexts = world.ladders
    .listed(atMs)
    .filter((ladder) => ladder.kind === 'spot')
    .map((ladder) => spotContextText(world, markets, ladder, atMs));
  return `[${contexts.join(',')}]`;
}

/** Recent trades as JSON text, also of a delisted market; null for an unknown coin. */
export function recentTradesText(
  world: World,
  markets: Markets,
  {
    coin,
    atMs,
    order,
  }: { readonly coin: string; readonly atMs: number; readonly order: 'newest first' | 'oldest first' },
): string | null {
  const market = markets.findRecorded(coin, atMs);
  if (!market) return null;
  const newestFirst = markets.recentTrades(market, atMs + 1, RECENT_TRADES);
  const trades = order === 'newest first' ? newestFirst : newestFirst.toReversed();
  return `[${trades.map((trade) => tradeText(world, coin, trade)).join(',')}]`;
}

/** A full book as JSON text, empty for a delisted coin, `null` as text for an unknown one; null for an invalid request. */
export function bookAnswer(markets: Markets, body: Body, atMs: number): string | null {
  const { coin } = body;
  if (typeof coin !== 'string') return null;
  if (!markets.isKnown(coin, atMs)) return 'null';
  const market = markets.find(coin, atMs);
  if (!market) return `{"coin":"${coin}","time":${atMs},"levels":[[],[]]}`;
  const nSigFigs = body.nSigFigs ?? null;
  if (nSigFigs !== null) {
    if (!isAggregation(nSigFigs, body.mantissa ?? null)) return null;
    return aggregatedBookText(markets, market, nSigFigs as number, (body.mantissa ?? null) as number | null, atMs);
  }
  const { book, timeMs } = markets.bookAt(market, atMs);
  return markets.writer.book(market, timeMs, book, body.fast === true ? 5 : 20);
}

function fundingText(world: World, body: Body, atMs: number): string | null {
  const { coin, startTime, endTime } = body;
  if (typeof coin !== 'string' || typeof startTime !== 'number') return null;
  const until = Math.min(typeof endTime === 'number' ? endTime : atMs, atMs);
  const rows: string[] = [];
  // Paid on the hour, with a time some milliseconds later; 500 rows per page (venue page, section 3.1).
  for (let hour = Math.ceil(startTime / HOUR_MS); hour * HOUR_MS <= until && rows.length < 500; hour += 1) {
    const chance = hashOf(world.settings.seed, STREAM.context, hour, coin.length) % 1000;
    const rate = (0.0000125 * (0.5 + chance / 1000)).toFixed(10);
    rows.push(
      `{"coin":${JSON.stringify(coin)},"fundingRate":"${rate}","premium":"0.0","time":${hour * HOUR_MS + (chance % 90)}}`,
    );
  }
  return `[${rows.join(',')}]`;
}

/**
 * Creates the handler of `POST /info`, which answers from the world as of a time.
 * @param exactFromMs bars that end later are calculated from all their trades; all by default.
 */
export function createInfo(
  world: World,
  markets: Markets,
  exactFromMs = 0,
): (body: unknown, atMs: number) => Promise<InfoAnswer> {
  const writeCandles = createCandleWriter(markets, exactFromMs);
  const dexOf = (body: Body) => (typeof body.dex === 'string' ? body.dex : '');
  const accounts = createAccounts(world);
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const handlers: Readonly<Record<string, Handler>> = {
    meta: (body, atMs) => json(perpMeta(world, dexOf(body), atMs)),
    allPerpMetas: (_body, atMs) =>
      JSON.stringify(world.ladders.dexNames(atMs).map((dex) => perpMeta(world, dex, atMs))),
    metaAndAssetCtxs(body, atMs) {
      const meta = perpMeta(world, dexOf(body), atMs);
      return meta && `[${JSON.stringify(meta)},${perpContextsText(world, markets, dexOf(body), atMs)}]`;
    },
    allMids: (body, atMs) => midsText(markets, dexOf(body), atMs),
    l2Book: (body, atMs) => bookAnswer(markets, body, atMs),
    recentTrades: (body, atMs) =>
      recentTradesText(world, markets, { coin: String(body.coin), atMs, order: 'newest first' }),
    spotMeta: (_body, atMs) => JSON.stringify(spotMeta(world, atMs)),
    spotMetaAndAssetCtxs: (_body, atMs) =>
      `[${JSON.stringify(spotMeta(world, atMs))},${spotContextsText(world, markets, atMs)}]`,
    perpDexs: (_body, atMs) => JSON.stringify(perpDexs(world, atMs)),
    outcomeMeta: (_body, atMs) => JSON.stringify(outcomeMeta(world, atMs)),
    settledOutcome: (body, atMs) => JSON.stringify(settledOutcome(world, Number(body.outcome), atMs)),
    fundingHistory: (body, atMs) => fundingText(world, body, atMs),
    exchangeStatus: (_body, atMs) => `{"time":${atMs},"specialStatuses":null}`,
    clearinghouseState: (body, atMs) => json(accounts.clearinghouseState(body.user, dexOf(body), atMs)),
    spotClearinghouseState: (body, atMs) => json(accounts.spotClearinghouseState(body.user, atMs)),
    userAbstraction: (body) => json(accounts.userAbstraction(body.user)),
    userVaultEquities: (body) => json(accounts.userVaultEquities(body.user)),
    delegatorSummary: (body) => json(accounts.delegatorSummary(body.user)),
    frontendOpenOrders: (body, atMs) => json(accounts.frontendOpenOrders(body.user, dexOf(body), atMs)),
    historicalOrders: (body, atMs) => json(accounts.historicalOrders(body.user, atMs)),
    userFills: (body, atMs) => json(accounts.userFills(body.user, atMs)),
    userNonFundingLedgerUpdates: (body, atMs) => json(accounts.userNonFundingLedgerUpdates(body.user, body, atMs)),
    portfolio: (body, atMs) => json(portfolio(world, accounts, body.user, atMs)),
    userFillsByTime: (body, atMs) => json(accounts.userFillsByTime(body.user, body, atMs)),
    userTwapSliceFillsByTime: (body, atMs) => json(accounts.userTwapSliceFillsByTime(body.user, body, atMs)),
    async candleSnapshot(body, atMs) {
      const request = body.req as Body | undefined;
      if (typeof request?.coin !== 'string' || !isInterval(request.interval)) return null;
      if (typeof request.startTime !== 'number') return null;
      const market = markets.findRecorded(request.coin, atMs);
      if (!market) return '[]';
      const endMs = typeof request.endTime === 'number' ? request.endTime : atMs;
      return writeCandles(market, request.interval, request.startTime, endMs, atMs);
    },
  };
  return async (body, atMs) => {
    const fields = body as Body | null;
    if (typeof fields !== 'object' || fields === null || typeof fields.type !== 'string') return UNREADABLE;
    const handler = Object.hasOwn(handlers, fields.type) ? handlers[fields.type] : undefined;
    const text = await handler?.(fields, atMs);
    return text === undefined || text === null ? UNREADABLE : { status: 200, text };
  };
}
