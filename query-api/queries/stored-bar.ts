import { type Bar, type BarTexts, type Moment, momentOf } from '#schemas/domain/candles/bars';
import type { SourceBar } from '#schemas/domain/candles/select';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';

/** An instrument with bars, by the leading columns of the sorting keys. */
export interface BarInstrument {
  readonly provider: string;
  readonly coin: string;
}

export type BarOfInstrument = BarInstrument & SourceBar;

/** Time and arrival of a trade. */
export type Place = readonly [ts: number | null, arrival: number | null];
const NO_PLACE: Place = [null, null];

/** Columns of canonical decimals. */
export const DECIMAL_COLUMNS = ['open', 'high', 'low', 'close', 'volume'] as const;
export type DecimalColumn = (typeof DECIMAL_COLUMNS)[number];

/** Bars of one source as columns: thousands of them are parsed several times faster than as rows. */
export interface BarColumns extends BarInstrument, Readonly<Record<DecimalColumn, readonly string[]>> {
  readonly source: string;
  readonly intervalMs: number;
  readonly firstMs: readonly number[];
  readonly trades: readonly number[];
  readonly receivedAt: readonly number[];
  /** Absent where nothing depends on the first and the last trade. */
  readonly lastMs?: readonly number[];
  readonly opened?: readonly Place[];
  readonly closed?: readonly Place[];
}

/**
 * A bar in columns. Thousands of bars are read for one response, and nearly all are served without a calculation: so it
 * is one object, whose decimals are parsed only when they are needed.
 */
export class StoredBar implements Bar, BarOfInstrument {
  private readonly columns: BarColumns;
  private readonly at: number;

  constructor(columns: BarColumns, at: number) {
    this.columns = columns;
    this.at = at;
  }

  get provider(): string {
    return this.columns.provider;
  }

  get coin(): string {
    return this.columns.coin;
  }

  get source(): string {
    return this.columns.source;
  }

  get intervalMs(): number {
    return this.columns.intervalMs;
  }

  get openTime(): number {
    return this.columns.firstMs[this.at]!;
  }

  get receivedAt(): number {
    return this.columns.receivedAt[this.at]!;
  }

  get bar(): Bar {
    return this;
  }

  get texts(): BarTexts {
    const { columns, at } = this;
    const [open, high, low] = [columns.open[at]!, columns.high[at]!, columns.low[at]!];
    return { open, high, low, close: columns.close[at]!, volume: columns.volume[at]! };
  }

  get open(): Decimal {
    return parseDecimal(this.columns.open[this.at]!);
  }

  get high(): Decimal {
    return parseDecimal(this.columns.high[this.at]!);
  }

  get low(): Decimal {
    return parseDecimal(this.columns.low[this.at]!);
  }

  get close(): Decimal {
    return parseDecimal(this.columns.close[this.at]!);
  }

  get volume(): Decimal {
    return parseDecimal(this.columns.volume[this.at]!);
  }

  get trades(): number {
    return this.columns.trades[this.at]!;
  }

  get openAt(): Moment {
    const [ts, arrival] = this.columns.opened?.[this.at] ?? NO_PLACE;
    return momentOf(ts, arrival, this.openTime, this.intervalMs);
  }

  get closeAt(): Moment {
    const { lastMs, closed } = this.columns;
    const [ts, arrival] = closed?.[this.at] ?? NO_PLACE;
    return momentOf(ts, arrival, lastMs?.[this.at] ?? this.openTime, this.intervalMs);
  }
}
