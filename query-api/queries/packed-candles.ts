import type { JsonRows } from '../http/json-rows.ts';
import { type Candle, type CandleList, sourceJson } from './candle-list.ts';
import type { PackedRows } from './packed-rows.ts';

/** What precedes each field in JSON. The last field, the number of trades, is not served. */
const LABELS = [',{"ts":', ',"open":', ',"high":', ',"low":', ',"close":', ',"volume":'].map((label) =>
  Buffer.from(label),
);
const LABEL_BYTES = LABELS.reduce((sum, { length }) => sum + length, 0);

/** Candles of one source as packed rows: start, open, high, low, close, volume, trades. */
export class PackedCandles implements CandleList {
  readonly source: string;
  private readonly rows: PackedRows;

  constructor(source: string, rows: PackedRows) {
    this.source = source;
    this.rows = rows;
  }

  get length(): number {
    return this.rows.length;
  }

  get firstTs(): number | undefined {
    const { first } = this.rows;
    return first && Number(first[0]);
  }

  get lastTs(): number | undefined {
    const { last } = this.rows;
    return last && Number(last[0]);
  }

  slice(from: number, until: number): PackedCandles {
    return new PackedCandles(this.source, this.rows.slice(from, until));
  }

  /** The candle of the bucket that starts at a time; the newest ones are found first. */
  find(bucket: number): Candle | undefined {
    const fields = this.rows.find(String(bucket));
    return fields && this.candleOf(fields);
  }

  toArray(): readonly Candle[] {
    return this.rows.toArray().map((fields) => this.candleOf(fields));
  }

  toJson(hasSource: boolean): JsonRows {
    const end = Buffer.from(hasSource ? `,"source":${sourceJson(this.source)}}` : '}');
    return this.rows.toJson(LABEL_BYTES + end.length, (json) => {
      for (const label of LABELS) {
        json.write(label);
        json.writeDecimal();
      }
      json.write(end);
    });
  }

  private candleOf(fields: readonly string[]): Candle {
    const [ts, open, high, low, close, volume, trades] = fields as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    return { ts: Number(ts), open, high, low, close, volume, trades: Number(trades), source: this.source };
  }
}
