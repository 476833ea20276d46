/**
 * A replica of the control state: reads `control.commands` from the newest snapshot on, reduces every command, and
 * returns the verdicts of commands that were submitted here.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToIo } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Verdict } from '#schemas/domain/control/command';
import { reduceControl } from '#schemas/domain/control/reduce';
import { type ControlState, initialControlState } from '#schemas/domain/control/state';
import { type ControlCommand, clockTopic, commandTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';
import type { EventLog, LogReader, LogRecord } from '../log/log.ts';
import { readUntil } from '../log/read-until.ts';
import { isTransient, retry } from '../retry.ts';
import { sharedPerLog } from '../shared-per-log.ts';
import type { Health } from '../telemetry/health.ts';
import { ControlSnapshots } from './control-snapshots.ts';
import { Freshness } from './freshness.ts';
import { type SnapshotPace, SnapshotSchedule } from './snapshot-schedule.ts';
import { StartProgress } from './start-progress.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };
/**
 * Commands that are appended at a time: far fewer than the recent ids by which the reducer detects a repeat
 * (`recent-ids.ts`).
 */
const BATCH_COMMANDS = 256;
const POLL_RECORDS = 1_024;
const POLL_TIMEOUT_MS = 250;
const VERDICT_TIMEOUT_MS = 10_000;
const PART = 'control';

/** Thrown when a command was appended, or may have been, and no verdict came in time: it may still be decided. */
export class VerdictTimeoutError extends Error {
  override name = 'VerdictTimeoutError';
  readonly code = 'verdict_timeout';
  readonly canRetry = false;
}

export interface ControlReplica {
  /** The state, which changes with each command. Read-only for callers. */
  readonly state: ControlState;
  /**
   * True if the state may be used to accept keys: false once the reducer stopped, or is more than `STALE_AFTER_MS`
   * behind the log. Then a key in the state may have been revoked.
   */
  readonly isCurrent: boolean;
  /**
   * Appends a command and returns its verdict once this replica has reduced it, so that the caller reads its own write.
   * Secrets must be hashed before. Rejects with a `LogError` if the log refused it, and after 10 s with
   * `VerdictTimeoutError`. After either it may still be decided: a broker may have accepted what it did not confirm.
   */
  submit(type: string, body: unknown): Promise<Verdict>;
  /** Calls the listener with each key that stops being valid. Returns a function that removes the listener. */
  onRevoked(listener: (keyId: string) => void): () => void;
  close(): Promise<void>;
}

interface ReplicaContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health?: Health;
  /** How far the state may be behind the log; `STALE_AFTER_MS` by default. */
  readonly staleAfterMs?: number;
  /** When snapshots are written; `SNAPSHOT_PACE` by default. */
  readonly snapshotPace?: SnapshotPace;
}

/**
 * Resolves once every command in the log is reduced, however long that takes; rejects with a `LogError` if the log
 * returns none of the remaining ones for half a minute. The roles of one process share one replica: each caller closes
 * it, the last close ends it.
 */
export const openControlReplica: (context: ReplicaContext) => Promise<ControlReplica> = sharedPerLog(startReplica);

async function startReplica(context: ReplicaContext): Promise<LogControlReplica> {
  const { log, codec } = context;
  await log.createTopics([commandTopic, clockTopic]);
  await codec.prepare([commandTopic, clockTopic]);
  const snapshots = await ControlSnapshots.open(context);
  const last = await log.last(AT);
  const { first } = await log.bounds(AT);
  const { state, next } = (await snapshots.load()) ?? { state: initialControlState(), next: first };
  const replica = new LogControlReplica(context, { state, position: next - 1, snapshots });
  await replica.start(last);
  return replica;
}

interface InitialState {
  readonly state: ControlState;
  /** Offset of the last command in the state; -1 for none. */
  readonly position: number;
  readonly snapshots: ControlSnapshots;
}

interface PendingCommand {
  readonly id: string;
  readonly type: string;
  /** JSON. */
  readonly body: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class LogControlReplica implements ControlReplica {
  readonly state: ControlState;
  private readonly context: ReplicaContext;
  /** Null until the start has caught up. */
  private reader: LogReader | null = null;
  private readonly pendingVerdicts = new Map<string, (verdict: Verdict) => void>();
  private readonly listeners = new Set<(keyId: string) => void>();
  private readonly freshness: Freshness;
  private readonly ending = new AbortController();
  /** The last batch that was read. A record that cannot be processed now is processed before anything after it. */
  private batch: readonly LogRecord[] = [];
  /** Number of processed records of the batch. */
  private processed = 0;
  private position: number;
  private readonly snapshots: SnapshotSchedule;
  private lastReceivedAt = 0;
  /** Commands that are not appended yet; each has its time limit in `submit`. */
  private pendingCommands: PendingCommand[] = [];
  private appending: Promise<void> | null = null;
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();
  /** Reasons why the state is not current, by where they occurred. */
  private readonly problems = new Map<'reading' | 'checking', string>();

  constructor(context: ReplicaContext, { state, position, snapshots }: InitialState) {
    this.context = context;
    this.state = state;
    this.position = position;
    this.snapshots = new SnapshotSchedule({
      snapshots,
      logger: context.logger,
      from: position + 1,
      ...(context.snapshotPace ? { pace: context.snapshotPace } : {}),
      now: () => ({ state: this.state, next: this.position + 1, receivedAt: this.lastReceivedAt }),
    });
    const { log, staleAfterMs } = context;
    this.freshness = new Freshness({
      newest: async () => (await log.last(AT))?.offset ?? -1,
      onProblem: (error) => this.reportRead('checking', error),
      ...(staleAfterMs === undefined ? {} : { staleAfterMs }),
    });
  }

  get isCurrent(): boolean {
    return !this.stopped && this.freshness.isFresh;
  }

  /** @param last the newest command in the log; the snapshot may include it. */
  async start(last: LogRecord | null): Promise<void> {
    this.lastReceivedAt = last?.receivedAt ?? 0;
    const { log, logger, health } = this.context;
    const range = { from: this.position + 1, last: last?.offset ?? -1, pollRecords: POLL_RECORDS };
    const progress = new StartProgress({ logger, ...range });
    for await (const records of readUntil(log, AT, range)) {
      await this.processAll(records);
      progress.reached(this.position);
      // An embedded log answers without a wait, and a million commands take long: timers and sockets need turns.
      await yieldToIo();
    }
    this.reader = await log.reader([{ ...AT, offset: this.position + 1 }]);
    const reading = this.run(this.reader).catch((error: unknown) => {
      this.stopped = true;
      logger.error({ error }, 'the control reducer failed and stopped');
      health?.failed(PART, error);
    });
    const { signal } = this.ending;
    this.running = Promise.all([reading, this.freshness.watch(signal), this.snapshots.run(signal)]);
  }

  async submit(type: string, body: unknown): Promise<Verdict> {
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const verdict = new Promise<Verdict>((resolve, reject) => {
      this.pendingVerdicts.set(id, resolve);
      timer = setTimeout(
        () => reject(new VerdictTimeoutError(`no verdict on ${type} within ${VERDICT_TIMEOUT_MS} ms`)),
        VERDICT_TIMEOUT_MS,
      );
    });
    try {
      // The time limit includes the append, which may wait long for a broker.
      return await Promise.race([verdict, this.append(id, type, JSON.stringify(body)).then(() => verdict)]);
    } finally {
      clearTimeout(timer);
      this.pendingVerdicts.delete(id);
    }
  }

  onRevoked(listener: (keyId: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
    await this.reader?.close();
  }

  private append(id: string, type: string, body: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.pendingCommands.push({ id, type, body, resolve, reject });
      this.appending ??= this.appendAll();
    });
  }

  /**
   * Appends one batch at a time, since receive times must not go back within the partition. Commands submitted
   * meanwhile form the next batch, so a broker needs one request for all of them.
   */
  private async appendAll(): Promise<void> {
    while (this.pendingCommands.length > 0) await this.appendBatch(this.pendingCommands.splice(0, BATCH_COMMANDS));
    this.appending = null;
  }

  private async appendBatch(batch: readonly PendingCommand[]): Promise<void> {
    try {
      this.lastReceivedAt = Math.max(this.lastReceivedAt, await this.pipelineTime());
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    // Appended individually, so that one that the log refuses fails alone; the log sends them together.
    await Promise.all(batch.map((one) => this.appendOne(one, this.lastReceivedAt).then(one.resolve, one.reject)));
  }

  private async appendOne({ id, type, body }: PendingCommand, receivedAt: number): Promise<void> {
    const { log, codec } = this.context;
    const value = codec.encode(commandTopic, { id, receivedAt, wallTime: Date.now(), type, body });
    // Several nodes write this partition, so its records are unnumbered; the id, which is also the key, identifies a
    // repeat.
    await log.append([{ ...AT, key: id, value, receivedAt, seq: 0 }]);
  }

  /** Runs until it is closed: a transient error makes the state stale and never ends the reducer. */
  private async run(reader: LogReader): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await retry(() => this.poll(reader), {
        canRetry: (error) => isTransient(error, 'unknown_schema'),
        onFailure: (error) => this.reportRead('reading', error),
        onRecovered: () => this.reportRead('reading', null),
        signal,
      });
    }
  }

  private async poll(reader: LogReader): Promise<void> {
    if (this.ending.signal.aborted) return;
    if (this.processed < this.batch.length) await this.processRest();
    else await this.processAll((await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS)).records);
  }

  private processAll(records: readonly LogRecord[]): Promise<void> {
    this.batch = records;
    this.processed = 0;
    return this.processRest();
  }

  private async processRest(): Promise<void> {
    for (; this.processed < this.batch.length; this.processed += 1) {
      const record = this.batch[this.processed]!;
      if (!this.process(record)) {
        await this.context.codec.fetchSchema(record.value!);
        if (!this.process(record))
          throw new CodecError('unknown_schema', 'the schema of a command is not known on this node yet');
      }
      this.position = record.offset;
    }
    this.freshness.reached(this.position);
  }

  /** Reports that commands cannot be read because of an error, or can be read again (null). */
  private reportRead(where: 'reading' | 'checking', error: unknown): void {
    const { logger, health } = this.context;
    if (error === null) {
      this.problems.delete(where);
      if (this.problems.size > 0) return;
      logger.info('control.commands can be read again');
      health?.ready(PART);
      return;
    }
    if (this.problems.size === 0) logger.error({ error }, 'could not read control.commands, retrying');
    const message = error instanceof Error ? error.message : String(error);
    this.problems.set(where, message);
    health?.degraded(PART, message);
  }

  /**
   * Processes a record. False if its schema has to be fetched first: a start reads too many records to wait for each.
   */
  private process(record: LogRecord): boolean {
    this.lastReceivedAt = Math.max(this.lastReceivedAt, record.receivedAt);
    if (!record.value) return true;
    const { codec, logger } = this.context;
    let command: ControlCommand;
    try {
      command = codec.decode(commandTopic, record.value);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      if (error.code === 'unknown_schema') return false;
      // Every node skips it, so all have the same state.
      const { offset } = record;
      logger.error({ offset, reason: error.message }, 'skipped an undecodable record in control.commands');
      return true;
    }
    const verdict = reduceControl(this.state, command);
    // Changed together with the state, for snapshots.
    this.position = record.offset;
    this.pendingVerdicts.get(command.id)?.(verdict);
    if (!verdict.ok) return true;
    for (const keyId of verdict.revokedKeyIds) for (const listener of this.listeners) listener(keyId);
    return true;
  }

  /** The newest position of `control.clock`: a command is valid from there on, also during playback. */
  private async pipelineTime(): Promise<number> {
    return (await this.context.log.last(CLOCK_AT))?.receivedAt ?? 0;
  }
}
