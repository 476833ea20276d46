/**
 * Read-your-writes for answers that come from tables. The sink writes the tables in batches, a moment after the log has
 * the records, so a reader waits until the sink has committed what the log held when it asked, and what followed from
 * the commands that the log held then. It compares offsets through the log's port, so it does not matter in which
 * process the stages and the sink run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import { type EventLog, LogError, type LogReader, type TopicPartition } from '#infra/log/log';
import { partitionName } from '#infra/log/partition-name';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { auditTopic } from '#schemas/topics/audit';
import { changeTopic, commandTopic } from '#schemas/topics/control';
import { partitionOf, type Topic } from '#schemas/topics/topic';

/** The longest that a read waits for the tables; then it answers with what there is. */
const WAIT_MS = 2_000;
/** How often the log is asked while somebody waits. */
const POLL_MS = 20;
const POLL_RECORDS = 1_024;

const COMMANDS_AT = { topic: commandTopic.name, partition: 0 };
const CHANGES_AT = { topic: changeTopic.name, partition: 0 };
/** An output of the stage that applies commands: all its outputs are promised the same watermark at a time. */
const STAGE_OUTPUT_AT = { topic: auditTopic.name, partition: 0 };

/** Rows of tables: those that come from records of these topics with this key. */
export interface AwaitedRows {
  readonly topics: readonly Topic[];
  readonly key: string;
}

export interface TableBarrier {
  /**
   * Resolves once the tables hold the rows that were due when it was called; after 2 s at the latest, and at once when
   * the signal aborts. It never rejects: without the log, the read answers with what there is.
   */
  passed(rows: AwaitedRows, signal: AbortSignal): Promise<void>;
}

interface Options {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly waitMs?: number;
}

/** @param topics all topics that will be waited for; those that do not exist yet are made. */
export async function openTableBarrier(
  options: Options,
  topics: readonly Topic[],
): Promise<
  TableBarrier & {
    /** Ends every wait; later reads do not wait. */ close(): void;
  }
> {
  await options.log.createTopics([commandTopic, changeTopic, auditTopic, ...topics]);
  await options.codec.prepare([changeTopic]);
  return new Barrier(options);
}

class Barrier implements TableBarrier {
  private readonly options: Options;
  private readonly commands: AppliedCommands;
  private readonly rows: InsertedRows;
  private readonly open = new Set<AbortController>();
  private closed = false;

  constructor(options: Options) {
    this.options = options;
    const onFault = (error: unknown) => this.report(error);
    this.commands = new AppliedCommands(options, onFault);
    this.rows = new InsertedRows(options.log, onFault);
  }

  async passed({ topics, key }: AwaitedRows, signal: AbortSignal): Promise<void> {
    if (this.closed || signal.aborted) return;
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(end, this.options.waitMs ?? WAIT_MS);
    signal.addEventListener('abort', end);
    this.open.add(ending);
    const at = topics.map(({ name, partitions }) => ({ topic: name, partition: partitionOf(key, partitions) }));
    try {
      // A broker that does not answer must not hold the read up either.
      await Promise.race([this.wait(at, ending.signal), aborted(ending.signal)]);
    } catch (error) {
      this.report(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      this.open.delete(ending);
      // Whatever of it still runs has nobody to run for.
      ending.abort();
    }
  }

  close(): void {
    this.closed = true;
    for (const ending of this.open) ending.abort();
  }

  private async wait(at: readonly TopicPartition[], signal: AbortSignal): Promise<void> {
    await this.commands.applied(signal);
    if (!signal.aborted) await this.rows.inserted(at, signal);
  }

  private report(error: unknown): void {
    if (error instanceof LogError && error.code === 'log_closed') return;
    this.options.logger.debug({ error }, 'could not check how far the tables are; answering with what there is');
  }
}

/** Waiters for a position, with one loop for all of them, which runs only while there are any. */
abstract class SharedLoop<W extends object> {
  protected readonly waiting = new Map<W, () => void>();
  private readonly onFault: (error: unknown) => void;
  private running = false;

  constructor(onFault: (error: unknown) => void) {
    this.onFault = onFault;
  }

  /** Runs until nobody waits; a fault ends every wait. */
  protected abstract loop(): Promise<void>;

  protected wait(waiter: W, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        this.waiting.delete(waiter);
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.waiting.set(waiter, done);
      if (!this.running) void this.run();
    });
  }

  /** Ends the waits for which it is so. */
  protected release(isDone: (waiter: W) => boolean): void {
    for (const [waiter, done] of [...this.waiting]) if (isDone(waiter)) done();
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      while (this.waiting.size > 0) await this.loop();
    } catch (error) {
      this.onFault(error);
      this.release(() => true);
    } finally {
      this.running = false;
    }
  }
}

/** Up to which command all that follows from commands is in the log. */
class AppliedCommands extends SharedLoop<{ readonly offset: number }> {
  private readonly log: EventLog;
  private readonly codec: Codec;
  /** Offset of the newest command whose consequences are in the log. */
  private newestApplied = -1;

  constructor({ log, codec }: Options, onFault: (error: unknown) => void) {
    super(onFault);
    this.log = log;
    this.codec = codec;
  }

  /** Resolves once what follows from the commands that are in the log now is in the log too. */
  async applied(signal: AbortSignal): Promise<void> {
    const newest = await this.log.last(COMMANDS_AT);
    if (newest && newest.offset > this.newestApplied) await this.wait({ offset: newest.offset }, signal);
  }

  protected async loop(): Promise<void> {
    const { next } = await this.log.bounds(STAGE_OUTPUT_AT);
    const reader = await this.log.reader([{ ...STAGE_OUTPUT_AT, offset: next }]);
    try {
      await this.follow(reader);
    } finally {
      await reader.close();
    }
  }

  /** A command takes effect at the time of its change; the stage has passed that once it promises a later watermark. */
  private async follow(reader: LogReader): Promise<void> {
    const changes: { readonly command: number; readonly receivedAt: number }[] = [];
    let watermark = Number.NEGATIVE_INFINITY;
    while (this.waiting.size > 0) {
      const awaited = Math.max(...Array.from(this.waiting.keys(), ({ offset }) => offset));
      if ((changes.at(-1)?.command ?? -1) < awaited) {
        const change = await this.log.last(CHANGES_AT);
        if (change?.value) {
          await this.codec.learn(change.value);
          const { commandOffset, receivedAt } = this.codec.decode(changeTopic, change.value);
          if (commandOffset > (changes.at(-1)?.command ?? -1)) changes.push({ command: commandOffset, receivedAt });
        }
      }
      for (const mark of (await reader.poll(POLL_RECORDS, POLL_MS)).watermarks) watermark = mark.watermark;
      while (changes[0] && changes[0].receivedAt < watermark)
        this.newestApplied = Math.max(this.newestApplied, changes.shift()!.command);
      this.release(({ offset }) => offset <= this.newestApplied);
    }
  }
}

/** How far the sink is. */
class InsertedRows extends SharedLoop<{ readonly last: readonly Position[] }> {
  private readonly log: EventLog;

  constructor(log: EventLog, onFault: (error: unknown) => void) {
    super(onFault);
    this.log = log;
  }

  /** Resolves once the records that these partitions hold now are rows. */
  async inserted(at: readonly TopicPartition[], signal: AbortSignal): Promise<void> {
    const [newest, committed] = await Promise.all([
      Promise.all(at.map((one) => this.log.last(one))),
      this.log.committed(SINK_GROUP, at),
    ]);
    const last = newest.filter((record, nth) => record !== null && record.offset >= (committed[nth] ?? 0));
    if (last.length > 0) await this.wait({ last: last as readonly Position[] }, signal);
  }

  protected async loop(): Promise<void> {
    const at = new Map([...this.waiting.keys()].flatMap(({ last }) => last.map((one) => [partitionName(one), one])));
    const committed = await this.log.committed(SINK_GROUP, [...at.values()]);
    const nextOf = new Map([...at.keys()].map((name, nth) => [name, committed[nth] ?? 0]));
    // Who began to wait meanwhile, for another partition, is looked at in the next turn.
    this.release(({ last }) => last.every((one) => one.offset < (nextOf.get(partitionName(one)) ?? 0)));
    if (this.waiting.size > 0) await sleep(POLL_MS);
  }
}

type Position = TopicPartition & { readonly offset: number };

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
