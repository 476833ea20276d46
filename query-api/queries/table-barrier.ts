/**
 * Read-your-writes for responses from tables. The sink writes the tables in batches, shortly after the records are in
 * the log. A reader therefore waits until the sink has committed all records that were in the log when the wait began,
 * and the effects of all commands that were in the log then. It only compares offsets of the log, so it does not matter
 * in which process the stages and the sink run.
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

/** The longest wait; after that the read returns what the tables hold. */
const WAIT_MS = 2_000;
/** Poll interval of the log while a read waits. */
const POLL_MS = 20;
const POLL_RECORDS = 1_024;

const COMMANDS_PARTITION = { topic: commandTopic.name, partition: 0 };
const CHANGES_PARTITION = { topic: changeTopic.name, partition: 0 };
/** An output of the organizations stage, which applies commands; all its outputs have the same watermark. */
const ORGANIZATIONS_STAGE_OUTPUT = { topic: auditTopic.name, partition: 0 };

/** The rows that come from records of these topics with this key. */
export interface AwaitedRows {
  readonly topics: readonly Topic[];
  readonly key: string;
}

export interface TableBarrier {
  /**
   * Resolves once the tables hold the rows that were pending when it was called; after 2 s at the latest, and
   * immediately when the signal aborts. It never rejects: if the log is unavailable, the read returns what the tables
   * hold.
   */
  awaitRows(rows: AwaitedRows, signal: AbortSignal): Promise<void>;
}

interface Options {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly waitMs?: number;
}

/** @param topics all topics that will be awaited; missing ones are created. */
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
  private readonly activeWaits = new Set<AbortController>();
  private closed = false;

  constructor(options: Options) {
    this.options = options;
    const onFault = (error: unknown) => this.report(error);
    this.commands = new AppliedCommands(options, onFault);
    this.rows = new InsertedRows(options.log, onFault);
  }

  async awaitRows({ topics, key }: AwaitedRows, signal: AbortSignal): Promise<void> {
    if (this.closed || signal.aborted) return;
    const controller = new AbortController();
    const end = () => controller.abort();
    const timer = setTimeout(end, this.options.waitMs ?? WAIT_MS);
    signal.addEventListener('abort', end);
    this.activeWaits.add(controller);
    const at = topics.map(({ name, partitions }) => ({ topic: name, partition: partitionOf(key, partitions) }));
    try {
      // A broker that does not respond must not block the read either.
      await Promise.race([this.wait(at, controller.signal), aborted(controller.signal)]);
    } catch (error) {
      this.report(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      this.activeWaits.delete(controller);
      // Stops whatever of the wait is still running.
      controller.abort();
    }
  }

  close(): void {
    this.closed = true;
    for (const controller of this.activeWaits) controller.abort();
  }

  private async wait(at: readonly TopicPartition[], signal: AbortSignal): Promise<void> {
    await this.commands.waitUntilApplied(signal);
    if (!signal.aborted) await this.rows.waitUntilInserted(at, signal);
  }

  private report(error: unknown): void {
    if (error instanceof LogError && error.code === 'log_closed') return;
    this.options.logger.debug(
      { error },
      'could not check the progress of the sink; reading the tables without waiting',
    );
  }
}

/** Waiters for a position that share one loop, which runs only while there are waiters. */
abstract class SharedLoop<W extends object> {
  protected readonly waiting = new Map<W, () => void>();
  private readonly onFault: (error: unknown) => void;
  private running = false;

  constructor(onFault: (error: unknown) => void) {
    this.onFault = onFault;
  }

  /** Runs until there are no waiters; an error ends all waits. */
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

  /** Ends the waits for which `isDone` is true. */
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

/**
 * Tracks up to which command all effects are in the log. A command takes effect at the event time of its change, so the
 * organizations stage has written them once the watermark of its outputs is later.
 */
class AppliedCommands extends SharedLoop<{ readonly offset: number }> {
  private readonly log: EventLog;
  private readonly codec: Codec;
  /** Offset of the newest command whose effects are in the log. */
  private newestApplied = -1;

  constructor({ log, codec }: Options, onFault: (error: unknown) => void) {
    super(onFault);
    this.log = log;
    this.codec = codec;
  }

  /** Resolves once the effects of all commands that are in the log now are in the log too. */
  async waitUntilApplied(signal: AbortSignal): Promise<void> {
    const newest = await this.log.last(COMMANDS_PARTITION);
    if (newest && newest.offset > this.newestApplied) await this.wait({ offset: newest.offset }, signal);
  }

  protected async loop(): Promise<void> {
    const { next } = await this.log.bounds(ORGANIZATIONS_STAGE_OUTPUT);
    const reader = await this.log.reader([{ ...ORGANIZATIONS_STAGE_OUTPUT, offset: next }]);
    try {
      await this.follow(reader);
    } finally {
      await reader.close();
    }
  }

  private async follow(reader: LogReader): Promise<void> {
    const changes: { readonly command: number; readonly receivedAt: number }[] = [];
    let watermark = Number.NEGATIVE_INFINITY;
    while (this.waiting.size > 0) {
      const awaited = Math.max(...Array.from(this.waiting.keys(), ({ offset }) => offset));
      if ((changes.at(-1)?.command ?? -1) < awaited) {
        const change = await this.log.last(CHANGES_PARTITION);
        if (change?.value) {
          await this.codec.fetchSchema(change.value);
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

/** Tracks which records the sink has inserted. */
class InsertedRows extends SharedLoop<{ readonly last: readonly Position[] }> {
  private readonly log: EventLog;

  constructor(log: EventLog, onFault: (error: unknown) => void) {
    super(onFault);
    this.log = log;
  }

  /** Resolves once the records that these partitions hold now are inserted. */
  async waitUntilInserted(at: readonly TopicPartition[], signal: AbortSignal): Promise<void> {
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
    // A wait for another partition that began meanwhile is checked in the next iteration.
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
