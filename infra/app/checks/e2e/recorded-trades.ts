/** Reads from the data directory of a stopped service what it recorded of the trades of venue_a. */
import { join } from 'node:path';
import { type CandleRange, venueCandleRangeTopics } from '#schemas/topics/candles';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { rawTopics } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';
import { createCodec } from '../../../codec/create-codec.ts';
import { openLogRegistry } from '../../../codec/log-registry.ts';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import { openStore } from '../../../store/open-store.ts';
import { keyOf, type TradeKey, type TradeMessage } from './sent-trades.ts';

export interface RecordedTrades {
  /** Records of the topic of trades, in order, with repetitions. */
  readonly published: readonly Trade[];
  /** Trades of all frames in the raw topic. */
  readonly received: ReadonlySet<TradeKey>;
  /** Gaps by coin, each as its newest record states it. */
  readonly gaps: ReadonlyMap<string, readonly Pick<CandleRange, 'from' | 'until'>[]>;
  /** Number of rows of the table by trade. */
  readonly rows: ReadonlyMap<TradeKey, number>;
}

/** The key of a trade; its id begins with its provider. */
export const keyOfId = (id: string): TradeKey => id.slice(id.indexOf(':') + 1);

export async function readRecordedTrades(dataDir: string): Promise<RecordedTrades> {
  const log = await openEmbeddedLog({ path: join(dataDir, 'log') });
  const published: Trade[] = [];
  const received = new Set<TradeKey>();
  const ranges = new Map<string, CandleRange>();
  try {
    const codec = createCodec(await openLogRegistry(log));
    const read = async <T>(topic: Topic<T>, visit: (record: T) => void) => {
      await codec.prepare([topic]);
      for (let partition = 0; partition < topic.partitions; partition += 1)
        await readPartition(log, { topic: topic.name, partition }, ({ value }) => visit(codec.decode(topic, value!)));
    };
    await read(tradeTopics.venue_a, (trade) => published.push(trade));
    await read(venueCandleRangeTopics.venue_a, (range) => {
      if (range.id.startsWith('gap ')) ranges.set(`${range.coin} ${range.id}`, range);
    });
    await read(rawTopics.get('raw.venue_a.ws')!, ({ payload }) => {
      const text = payload.toString();
      if (!text.startsWith('{"channel":"trades"')) return;
      for (const trade of (JSON.parse(text) as { data: TradeMessage[] }).data) received.add(keyOf(trade));
    });
  } finally {
    await log.close();
  }
  const gaps = new Map<string, CandleRange[]>();
  for (const range of ranges.values())
    if (range.kind === 'gap') gaps.set(range.coin, [...(gaps.get(range.coin) ?? []), range]);
  return { published, received, gaps, rows: await readRows(dataDir) };
}

async function readRows(dataDir: string): Promise<Map<TradeKey, number>> {
  const store = await openStore({ store: 'embedded', dataDir });
  try {
    const rows = await store.query<{ id: string; rows: string }>(
      "SELECT id, toString(count()) AS rows FROM trades FINAL WHERE startsWith(provider, 'venue_a') GROUP BY id",
    );
    return new Map(rows.map(({ id, rows: count }) => [keyOfId(id), Number(count)]));
  } finally {
    await store.close();
  }
}
