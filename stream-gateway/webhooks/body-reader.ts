/** Reads single deliveries from the log by offset; concurrent reads share readers. */
import { LogError } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { type Delivery, deliveryTopic } from '#schemas/topics/webhooks';
import { decodeRecord } from './decode-record.ts';
import type { LoadContext } from './load-pending.ts';

/** Skipping up to this many records is cheaper than opening another reader. */
const GAP_MAX = 256;
const POLL_RECORDS = 64;
/** Other reads wait meanwhile; the caller retries. */
const SILENT_FOR_MS = 5_000;

export interface DeliveryLocation {
  readonly partition: number;
  readonly offset: number;
}

interface ReadRequest extends DeliveryLocation {
  readonly resolve: (delivery: Delivery | null) => void;
  readonly reject: (error: unknown) => void;
}

export class BodyReader {
  private readonly context: LoadContext;
  private requests: ReadRequest[] = [];
  private isReading = false;

  constructor(context: LoadContext) {
    this.context = context;
  }

  /**
   * Reads the delivery at an offset; null if retention removed it. The number of callers is bounded by the slots that
   * they hold.
   */
  read({ partition, offset }: DeliveryLocation): Promise<Delivery | null> {
    return new Promise((resolve, reject) => {
      this.requests.push({ partition, offset, resolve, reject });
      if (this.isReading) return;
      this.isReading = true;
      setImmediate(() => void this.readAll());
    });
  }

  private async readAll(): Promise<void> {
    while (this.requests.length > 0) {
      const batch = this.requests.sort((a, b) => a.partition - b.partition || a.offset - b.offset);
      this.requests = [];
      for (const run of runsOf(batch)) {
        await this.readRun(run).catch((error: unknown) => {
          for (const { reject } of run) reject(error);
        });
      }
    }
    this.isReading = false;
  }

  private async readRun(run: readonly ReadRequest[]): Promise<void> {
    const { log } = this.context;
    const { partition, offset } = run[0]!;
    const last = run.at(-1)!.offset;
    const pollRecords = Math.min(POLL_RECORDS, last - offset + 1);
    const range = { from: offset, last, pollRecords, maxSilenceMs: SILENT_FOR_MS };
    let at = 0;
    for await (const records of readUntil(log, { topic: deliveryTopic.name, partition }, range)) {
      for (const record of records) {
        while (at < run.length && run[at]!.offset < record.offset) run[at++]!.resolve(null);
        if (run[at]?.offset !== record.offset) continue;
        run[at]!.resolve(await decodeRecord(this.context, deliveryTopic, record));
        at += 1;
      }
    }
    if (at === run.length) return;
    const { first } = await log.bounds({ topic: deliveryTopic.name, partition });
    // It was there before: either retention has removed it since, or the topic is being rewritten.
    while (at < run.length && run[at]!.offset < first) run[at++]!.resolve(null);
    if (at < run.length) throw new LogError('log_unavailable', 'the log did not return a delivery that it holds');
  }
}

/** Groups requests into runs that one reader each serves. */
function runsOf(sorted: readonly ReadRequest[]): ReadRequest[][] {
  const runs: ReadRequest[][] = [];
  for (const request of sorted) {
    const before = runs.at(-1)?.at(-1);
    if (before && before.partition === request.partition && request.offset - before.offset <= GAP_MAX)
      runs.at(-1)!.push(request);
    else runs.push([request]);
  }
  return runs;
}
