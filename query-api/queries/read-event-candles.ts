/** Reads the candles of the markets of an event, in its YES terms. */
import { complement, overlay } from '#schemas/domain/candles/bars';
import type { Selection, Selector } from '#schemas/domain/candles/select';
import { sourceRulesOf } from '#schemas/domain/candles/sources';
import type { EventLink } from '#schemas/topics/derived';
import type { CandleWindow } from './candle-window.ts';
import type { Reader } from './query.ts';
import { readBuckets } from './read-buckets.ts';
import { type Candle, candleOf } from './read-candles.ts';
import { readRanges, timeOfRow } from './read-source-bars.ts';
import { lengthsOf, type SelectedBuckets, selectStoredBars } from './select-stored-bars.ts';
import { instrumentsOf } from './traded-instruments.ts';

export type MarketCandle = Candle & { readonly provider: string; readonly marketId: string };

/**
 * Reads candles of linked markets, the oldest bucket first, then by provider and market. The limit counts candles, and
 * the bucket in which it falls is returned in full.
 * @param now the pipeline's time, unix ms; null if it is unknown.
 */
export async function readEventCandles(
  store: Reader,
  links: readonly EventLink[],
  window: CandleWindow,
  now: number | null,
): Promise<MarketCandle[]> {
  if (links.length === 0) return [];
  const sorted = [...links].sort(
    (a, b) => compare(a.provider, b.provider) || compare(a.providerMarketId, b.providerMarketId),
  );
  const instruments = sorted.flatMap(sidesOf);
  const rowsOf = ({ starts, selected }: SelectedBuckets) => {
    const markets = sorted.map((link) => ({ link, select: marketSelector(link, selected) }));
    return starts.flatMap((ts) =>
      markets.flatMap(({ link, select }) => {
        const candle = candleOf(ts, select(ts));
        return candle ? [{ provider: link.provider, marketId: link.providerMarketId, ...candle }] : [];
      }),
    );
  };
  const { rows } = await readBuckets(window, now, {
    read: async (range) => {
      const ranges = await readRanges(store, instruments, range);
      const wanted = { instruments, ranges, stepMs: range.stepMs, spans: [range], fetched: [] };
      return { rows: rowsOf(await selectStoredBars(store, { ...wanted, now: now ?? Number.POSITIVE_INFINITY })) };
    },
    timeOfRow: (range, nth) => timeOfRow(store, instruments, lengthsOf(instruments, range.stepMs), range, nth),
    rowsOfOne: links.length,
  });
  return limited(rows, window);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The instruments of a market: YES first. */
function sidesOf(link: EventLink) {
  return instrumentsOf(link).map(({ provider, instrument }) => ({ provider, coin: instrument }));
}

/** Joins the sides of a market: trades of the NO side and of an inverse market count at 1 − p. */
function marketSelector(link: EventLink, selected: SelectedBuckets['selected']): Selector {
  const selectors = sidesOf(link).map((side) => selected(side).select);
  const order = sourceRulesOf(link.provider).rules.flatMap(({ sources }) => sources);
  const inYesTerms = ({ bar }: Selection, nth: number) =>
    bar && (nth === 1) !== (link.polarity === 'inverse') ? complement(bar) : bar;
  return (ts) => {
    const sides = selectors.map((select) => select(ts));
    const [first, second] = sides.map(inYesTerms);
    return { source: jointSource(order, sides), bar: first && second ? overlay(first, second) : (first ?? second) };
  };
}

/** The source of several sides: none if one of them has none, else the one that comes last in the order of sources. */
function jointSource(order: readonly string[], sides: readonly Selection[]): string | null {
  const ranks = sides.map(({ source }) => (source === null ? -1 : order.indexOf(source)));
  return ranks.includes(-1) ? null : order[Math.max(...ranks)]!;
}

function limited(candles: readonly MarketCandle[], { start, end, limit }: CandleWindow): MarketCandle[] {
  if (candles.length <= limit) return [...candles];
  if (start !== null && end === null) {
    const last = candles[limit - 1]!.ts;
    return candles.filter(({ ts }) => ts <= last);
  }
  const first = candles.at(-limit)!.ts;
  return candles.filter(({ ts }) => ts >= first);
}
