/**
 * Time in which the events stage reconciles a catalog of 200,000 markets, and then links a new market. `reconcile` runs
 * the stage over the catalog in an embedded log until all its events are written. `reconcile-new-market` then adds
 * markets one by one, each with a question that another venue has, and measures the longest time until an event links
 * it.
 *
 * Sources of error: titles of one kind, for which only one pattern is tried (the generator writes all kinds); a single
 * new market, which says little about the longest time. Snapshots of the large state are minutes apart and may be
 * outside the run. During a snapshot the stage waits for the copy of its state, not for its compression
 * (`infra/stages/snapshot-scheduler.ts`).
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEventsStage } from '#processors/events/stage';
import { eventTopic } from '#schemas/topics/derived';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import type { Codec } from '../../../codec/codec.ts';
import { createCodec } from '../../../codec/create-codec.ts';
import { openLogRegistry } from '../../../codec/log-registry.ts';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import type { AppendRecord, EventLog, LogReader } from '../../../log/log.ts';
import { runStage } from '../../../stages/run-stage.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { mixedMarkets, partnerMarket } from '../mixed-markets.ts';

const MARKETS = 200_000;
const BATCH_RECORDS = 2_000;
const BEGINS_MS = Date.UTC(2026, 2, 31);
/** Number of new markets, and the interval between them. */
const NEW_MARKETS = 60;
const NEW_EVERY_MS = 250;
/** A link that takes longer fails the benchmark. */
const LINK_MAX_MS = 20_000;

export interface ReconcileSize {
  readonly markets: number;
  readonly newMarkets: number;
}

export const reconcile: Bench = {
  aims: { reconcile: { valueMaxMs: 60_000 }, 'reconcile-new-market': { valueMaxMs: 1_000 } },
  run: (context) => measureReconcile(context, { markets: MARKETS, newMarkets: NEW_MARKETS }),
};

/** Exported for tests, which use fewer markets. */
export async function measureReconcile(
  { folder, onProgress }: BenchContext,
  { markets, newMarkets }: ReconcileSize,
): Promise<BenchResult[]> {
  const log = await openEmbeddedLog({ path: join(folder, 'log') });
  try {
    const codec = createCodec(await openLogRegistry(log));
    const stage = createEventsStage();
    const topics = [...stage.inputs.map(({ topic }) => topic), ...stage.outputs];
    await log.createTopics(topics);
    await codec.prepare(topics);
    const catalog = new CatalogWriter(
      log,
      codec,
      stage.inputs.map(({ topic }) => topic.name),
    );
    await catalog.append(mixedMarkets(markets, BEGINS_MS), (appended) => onProgress((0.3 * appended) / markets));
    catalog.advance(BEGINS_MS + 1);

    const context = { log, codec, logger: createLogger('error'), metrics: createMetrics() };
    const startedAt = performance.now();
    const running = await runStage({ stage, ...context });
    await running.caughtUp;
    const reconcileMs = performance.now() - startedAt;
    onProgress(0.7);

    const last = await log.last({ topic: eventTopic.name, partition: 0 });
    const events = await log.reader([{ topic: eventTopic.name, partition: 0, offset: (last?.offset ?? -1) + 1 }]);
    let worstMs = 0;
    for (let nth = 0; nth < newMarkets; nth += 1) {
      const market = partnerMarket(nth, markets, BEGINS_MS + 1 + nth);
      const appended = performance.now();
      await catalog.append([market]);
      catalog.advance(market.receivedAt + 1);
      await untilLinked(events, codec, market);
      worstMs = Math.max(worstMs, performance.now() - appended);
      onProgress(0.7 + (0.3 * (nth + 1)) / newMarkets);
      await sleep(NEW_EVERY_MS);
    }
    await events.close();
    await running.close();
    return [msResult('reconcile', reconcileMs), msResult('reconcile-new-market', worstMs)];
  } finally {
    await log.close();
  }
}

/** Writes catalog records in place of the normalisers. */
class CatalogWriter {
  private readonly log: EventLog;
  private readonly codec: Codec;
  private readonly inputs: readonly string[];
  private readonly seqs = new Map<string, number>();

  constructor(log: EventLog, codec: Codec, inputs: readonly string[]) {
    this.log = log;
    this.codec = codec;
    this.inputs = inputs;
  }

  async append(markets: Iterable<Market>, onAppended: (records: number) => void = () => {}): Promise<void> {
    let batch: AppendRecord[] = [];
    let appended = 0;
    const flush = async () => {
      await this.log.append(batch);
      appended += batch.length;
      batch = [];
      onAppended(appended);
    };
    for (const market of markets) {
      batch.push(this.recordOf(market));
      if (batch.length === BATCH_RECORDS) await flush();
    }
    if (batch.length > 0) await flush();
  }

  /** Advances the watermark of every input. */
  advance(watermark: number): void {
    this.log.advance(this.inputs.map((topic) => ({ topic, partition: 0, watermark })));
  }

  private recordOf(market: Market): AppendRecord {
    const topic = marketTopics[market.provider === 'venue_b' ? 'venue_b' : 'venue_a'];
    const seq = (this.seqs.get(topic.name) ?? 0) + 1;
    this.seqs.set(topic.name, seq);
    const value = this.codec.encode(topic, market);
    return { topic: topic.name, partition: 0, key: market.marketId, value, receivedAt: market.receivedAt, seq };
  }
}

/** Resolves once an event with links of two venues includes the market. */
async function untilLinked(events: LogReader, codec: Codec, { marketId }: Market): Promise<void> {
  const deadline = performance.now() + LINK_MAX_MS;
  while (performance.now() < deadline) {
    const { records } = await events.poll(BATCH_RECORDS, 50);
    for (const { value } of records) {
      const links = value ? codec.decode(eventTopic, value).links : [];
      const providers = new Set(links.map(({ provider }) => provider));
      if (providers.size > 1 && links.some(({ providerMarketId }) => providerMarketId === marketId)) return;
    }
  }
  throw new Error(`the new market ${marketId} was not linked within ${LINK_MAX_MS} ms`);
}

function msResult(name: string, value: number): BenchResult {
  return { name, value, unit: 'ms', baseline: null, ratio: null };
}
