/**
 * Which klines were loaded, from the log. A compacted topic states it for good, whatever retention removes. A response is
 * noted there after it was published, so a kill in between leaves one response that is not noted: the newest one.
 */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { NoteWriter } from '#infra/log/note-writer';
import { readPartition } from '#infra/log/read-partition';
import { INTERVALS } from '#schemas/domain/candles/sources';
import { type Span, union } from '#schemas/domain/candles/spans';
import { FieldError, parseJsonOrNull } from '#schemas/domain/json-fields';
import { type LoadedKlines as LoadedRecord, loadedKlinesTopic } from '#schemas/topics/loaded-klines';
import { rawTopic } from '#schemas/topics/raw';
import {
  answeredSpan,
  KLINE_INTERVALS,
  type KlineCoin,
  type KlineInterval,
  type KlineRequest,
  readKlineRequest,
  readKlines,
} from '#schemas/venues/venue-a/klines';

const AT = { topic: loadedKlinesTopic.name, partition: 0 };
const RAW = rawTopic('venue_a', 'klines');

type Log = Pick<EventLog, 'createTopics' | 'append' | 'reader' | 'last' | 'bounds'>;
type Series = Pick<LoadedRecord, 'onboardedAt' | 'spans'>;

const keyOf = (coin: string, intervalMs: number) => `${coin} ${intervalMs}`;

export class LoadedKlines {
  private readonly log: Log;
  private readonly codec: Codec;
  private readonly series: Map<string, Series>;
  private readonly writer: NoteWriter;

  /** Use `open`. */
  private constructor(log: Log, codec: Codec, series: Map<string, Series>, newestAt: number) {
    this.log = log;
    this.codec = codec;
    this.series = series;
    this.writer = new NoteWriter(log, newestAt);
  }

  /**
   * Reads what was loaded. Needs the lease of ingest, since it notes a response that a killed process did not note. While
   * the disk is full, notes wait until the signal aborts.
   */
  static async open(log: Log, codec: Codec, signal: AbortSignal): Promise<LoadedKlines> {
    await log.createTopics([loadedKlinesTopic]);
    await codec.prepare([loadedKlinesTopic]);
    const series = new Map<string, Series>();
    let newestAt = 0;
    await readPartition(log, AT, async ({ value, receivedAt }) => {
      newestAt = receivedAt;
      if (!value) return;
      await codec.fetchSchema(value);
      const { coin, intervalMs, onboardedAt, spans } = codec.decode(loadedKlinesTopic, value);
      series.set(keyOf(coin, intervalMs), { onboardedAt, spans });
    });
    const loaded = new LoadedKlines(log, codec, series, newestAt);
    await loaded.noteNewestResponse(signal);
    return loaded;
  }

  spansOf(coin: KlineCoin, interval: KlineInterval): readonly Span[] {
    return this.series.get(keyOf(coin, INTERVALS[interval]))?.spans ?? [];
  }

  /** Since when the exchange lists a coin; null if that is unknown. */
  onboardedAt(coin: KlineCoin): number | null {
    for (const interval of KLINE_INTERVALS) {
      const known = this.series.get(keyOf(coin, INTERVALS[interval]));
      if (known) return known.onboardedAt;
    }
    return null;
  }

  /** Notes since when the exchange lists a coin. */
  async noteListing(coin: KlineCoin, onboardedAt: number, signal: AbortSignal): Promise<void> {
    const [interval] = KLINE_INTERVALS;
    await this.write(coin, INTERVALS[interval], { onboardedAt, spans: this.spansOf(coin, interval) }, signal);
  }

  /** Notes a span whose klines are in the log. */
  async noteSpan(coin: KlineCoin, intervalMs: number, span: Span, signal: AbortSignal): Promise<void> {
    const known = this.series.get(keyOf(coin, intervalMs))?.spans ?? [];
    const spans = union([...known, span]);
    await this.write(coin, intervalMs, { onboardedAt: this.onboardedAt(coin) ?? span.from, spans }, signal);
  }

  private async noteNewestResponse(signal: AbortSignal): Promise<void> {
    const newest = await this.log.last({ topic: RAW.name, partition: 0 });
    if (!newest?.value) return;
    await this.codec.fetchSchema(newest.value);
    const { request: text, payload, receivedAt } = this.codec.decode(RAW, newest.value);
    const stated = statedBy(text, payload, receivedAt);
    if (stated) await this.noteSpan(stated.coin, stated.intervalMs, stated.span, signal);
  }

  private async write(coin: string, intervalMs: number, series: Series, signal: AbortSignal): Promise<void> {
    const key = keyOf(coin, intervalMs);
    await this.writer.write((receivedAt) => {
      const value = this.codec.encode(loadedKlinesTopic, { coin, intervalMs, ...series, receivedAt });
      return { ...AT, key, value, receivedAt, seq: 0 };
    }, signal);
    this.series.set(key, series);
  }
}

/** The span that a stored response answers; null if either is malformed, which the normaliser reports, or for no span. */
function statedBy(text: string | null, payload: Buffer, receivedAt: number): (KlineRequest & { span: Span }) | null {
  try {
    const request = readKlineRequest(text);
    if (!request) return null;
    const klines = readKlines(parseJsonOrNull(payload.toString()), request.intervalMs);
    const span = answeredSpan(request, klines, receivedAt);
    return span && { ...request, span };
  } catch (error) {
    if (error instanceof FieldError) return null;
    throw error;
  }
}
