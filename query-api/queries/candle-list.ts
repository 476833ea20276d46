/** Candles as they are served, and lists of them. */
import { decimalJson } from '#schemas/http/scalars';
import { JsonRows } from '../http/json-rows.ts';

/** A bar as it is served; its decimals are exact, as text. */
export interface Candle {
  /** Start of the bucket, unix ms. */
  readonly ts: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly trades: number;
  /** Null if the bucket is complete in no source. */
  readonly source: string | null;
}

/** Candles of one market, oldest first. Thousands of them are served at once, so that not each needs to be an object. */
export interface CandleList {
  readonly length: number;
  /** Starts of the first and of the last bucket; undefined for none. */
  readonly firstTs: number | undefined;
  readonly lastTs: number | undefined;
  /** The candles from one place to another, exclusive. */
  slice(from: number, until: number): CandleList;
  toArray(): readonly Candle[];
  /** @param hasSource true if each candle states its source. */
  toJson(hasSource: boolean): JsonRows;
}

/** A list of objects. */
export class CandleArray implements CandleList {
  private readonly candles: readonly Candle[];

  constructor(candles: readonly Candle[]) {
    this.candles = candles;
  }

  get length(): number {
    return this.candles.length;
  }

  get firstTs(): number | undefined {
    return this.candles[0]?.ts;
  }

  get lastTs(): number | undefined {
    return this.candles.at(-1)?.ts;
  }

  slice(from: number, until: number): CandleArray {
    return new CandleArray(this.candles.slice(from, until));
  }

  toArray(): readonly Candle[] {
    return this.candles;
  }

  toJson(hasSource: boolean): JsonRows {
    return JsonRows.of(this.candles, (candle) => {
      const source = hasSource ? `,"source":${sourceJson(candle.source)}` : '';
      return `{"ts":${candle.ts},${figuresJson(candle)}${source}}`;
    });
  }
}

/** The fields of the decimals of a candle in JSON. */
export function figuresJson({ open, high, low, close, volume }: Candle): string {
  const prices = `"open":${decimalJson(open)},"high":${decimalJson(high)},"low":${decimalJson(low)}`;
  return `${prices},"close":${decimalJson(close)},"volume":${decimalJson(volume)}`;
}

/** The source of a candle in JSON; the names of sources need no escapes. */
export function sourceJson(source: string | null): string {
  return source === null ? 'null' : `"${source}"`;
}
