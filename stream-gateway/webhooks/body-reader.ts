/** Reads single deliveries from the log by their offsets; many that are asked for at once share readers. */
import { LogError } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import { type Delivery, deliveryTopic } from '#schemas/topics/webhooks';
import { decodeRecord } from './decode-record.ts';
import type { LoadContext } from './load-pending.ts';

/** Reading over so many records that nobody asked for is cheaper than another reader. */
const GAP_MAX = 256;
const POLL_RECORDS = 64;
/** Others wait meanwhile; whoever asked tries again. */
const SILENT_FOR_MS = 5_000;

export interface Place {
  readonly partition: number;
  readonly offset: number;
}

interface Asked extends Place {
  readonly give: (delivery: Delivery | null) => void;
  readonly fail: (error: unknown) => void;
}

export class BodyReader {
  private readonly context: LoadContext;
  private asked: Asked[] = [];
  private isReading = false;

  constructor(context: LoadContext) {
    this.context = context;
  }

  /** The delivery at a place; null when retention removed it. Callers are bounded by the slots that they hold. */
  read({ partition, offset }: Place): Promise<Delivery | null> {
    return new Promise((give, fail) => {
      this.asked.push({ partition, offset, give, fail });
      if (this.isReading) return;
      this.isReading = true;
      setImmediate(() => void this.readAll());
    });
  }

  private async readAll(): Promise<void> {
    while (this.asked.length > 0) {
      const batch = this.asked.sort((a, b) => a.partition - b.partition || a.offset - b.offset);
      this.asked = [];
      for (const run of runsOf(batch)) {
        await this.readRun(run).catch((error: unknown) => {
          for (const { fail } of run) fail(error);
        });
      }
    }
    this.isReading = false;
  }

  private async readRun(run: readonly Asked[]): Promise<void> {
    const { log } = this.context;
    const { partition, offset } = run[0]!;
    const last = run.at(-1)!.offset;
    const atOnce = Math.min(POLL_RECORDS, last - offset + 1);
    const range = { from: offset, last, atOnce, silentForMs: SILENT_FOR_MS };
    let at = 0;
    for await (const records of readUntil(log, { topic: deliveryTopic.name, partition }, range)) {
      for (const record of records) {
        while (at < run.length && run[at]!.offset < record.offset) run[at++]!.give(null);
        if (run[at]?.offset !== record.offset) continue;
        run[at]!.give(await decodeRecord(this.context, deliveryTopic, record));
        at += 1;
      }
    }
    if (at === run.length) return;
    const { first } = await log.bounds({ topic: deliveryTopic.name, partition });
    // It was there once: either retention has removed it since, or the topic is being written anew.
    while (at < run.length && run[at]!.offset < first) run[at++]!.give(null);
    if (at < run.length) throw new LogError('log_unavailable', 'the log does not give a delivery that it holds');
  }
}

/** Parts that one reader each goes through. */
function runsOf(sorted: readonly Asked[]): Asked[][] {
  const runs: Asked[][] = [];
  for (const asked of sorted) {
    const before = runs.at(-1)?.at(-1);
    if (before && before.partition === asked.partition && asked.offset - before.offset <= GAP_MAX)
      runs.at(-1)!.push(asked);
    else runs.push([asked]);
  }
  return runs;
}
