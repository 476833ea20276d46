/** Candles of the markets of an event, and lists of them. */
import { JsonRows } from '../http/json-rows.ts';
import { type Candle, figuresJson } from './candle-list.ts';
import type { PackedRows } from './packed-rows.ts';

export interface Market {
  readonly provider: string;
  readonly marketId: string;
}

export type MarketCandle = Candle & Market;

/** The oldest bucket first, then by market. */
export interface MarketCandleList {
  readonly length: number;
  /** The start of the bucket of the nth candle. */
  tsAt(nth: number): number;
  /** The candles from one number to another, exclusive. */
  slice(from: number, until: number): MarketCandleList;
  toArray(): readonly MarketCandle[];
  toJson(): JsonRows;
}

/** A list of objects. */
export class MarketCandleArray implements MarketCandleList {
  private readonly candles: readonly MarketCandle[];

  constructor(candles: readonly MarketCandle[]) {
    this.candles = candles;
  }

  get length(): number {
    return this.candles.length;
  }

  tsAt(nth: number): number {
    return this.candles[nth]!.ts;
  }

  slice(from: number, until: number): MarketCandleArray {
    return new MarketCandleArray(this.candles.slice(from, until));
  }

  toArray(): readonly MarketCandle[] {
    return this.candles;
  }

  toJson(): JsonRows {
    return JsonRows.of(this.candles, (candle) => {
      const { provider, marketId, ts, trades, source } = candle;
      return `${JSON.stringify({ provider, marketId, ts, trades, source }).slice(0, -1)},${figuresJson(candle)}}`;
    });
  }
}

const TRADES = Buffer.from(',"trades":');
const FIGURES = [',"high":', ',"low":', ',"close":', ',"volume":'].map((label) => Buffer.from(label));
const END = Buffer.from('}');

/** Candles of one source as packed rows: number of the market, start, trades, open, high, low, close, volume. */
export class PackedMarketCandles implements MarketCandleList {
  private readonly source: string;
  private readonly markets: readonly Market[];
  private readonly rows: PackedRows;

  constructor(source: string, markets: readonly Market[], rows: PackedRows) {
    this.source = source;
    this.markets = markets;
    this.rows = rows;
  }

  get length(): number {
    return this.rows.length;
  }

  tsAt(nth: number): number {
    return Number(this.rows.slice(nth, nth + 1).first![1]);
  }

  slice(from: number, until: number): PackedMarketCandles {
    return new PackedMarketCandles(this.source, this.markets, this.rows.slice(from, until));
  }

  toArray(): readonly MarketCandle[] {
    return this.rows.toArray().map((fields) => {
      const [market, ts, trades, open, high, low, close, volume] = fields as [string, string, string, ...Texts];
      const { provider, marketId } = this.markets[Number(market)]!;
      const of = { provider, marketId, ts: Number(ts) };
      return { ...of, open, high, low, close, volume, trades: Number(trades), source: this.source };
    });
  }

  toJson(): JsonRows {
    const starts = this.markets.map(({ provider, marketId }) =>
      Buffer.from(`,${JSON.stringify({ provider, marketId }).slice(0, -1)},"ts":`),
    );
    const open = Buffer.from(`,"source":${JSON.stringify(this.source)},"open":`);
    const labels = [TRADES, open, ...FIGURES];
    const bytesOf = (list: readonly Buffer[]) => list.reduce((sum, { length }) => sum + length, 0);
    const startBytes = Math.max(0, ...starts.map(({ length }) => length));
    return this.rows.toJson(startBytes + bytesOf(labels) + END.length, (json) => {
      json.write(starts[json.readInteger()]!);
      json.writeDecimal();
      for (const label of labels) {
        json.write(label);
        json.writeDecimal();
      }
      json.write(END);
    });
  }
}

type Texts = [string, string, string, string, string];
