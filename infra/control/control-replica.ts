/** Hosts the control reducer: reads `control.commands` from the newest snapshot on, and answers what was submitted here. */
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
import { mayPass, retry } from '../retry.ts';
import { sharedByLog } from '../shared-by-log.ts';
import type { Health } from '../telemetry/health.ts';
import { ControlSnapshots } from './control-snapshots.ts';
import { Freshness } from './freshness.ts';
import { type SnapshotPace, SnapshotSchedule } from './snapshot-schedule.ts';
import { StartProgress } from './start-progress.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };
/** Appended at a time: far fewer than the newest ids that the reducer knows a repeat by (`recent-ids.ts`). */
const BATCH_COMMANDS = 256;
const POLL_RECORDS = 1_024;
const POLL_TIMEOUT_MS = 250;
const VERDICT_TIMEOUT_MS = 10_000;
const PART = 'control';

/** Thrown when a command was appended, or may have been, and no verdict came: it may still be decided. */
export class VerdictTimeoutError extends Error {
  override name = 'VerdictTimeoutError';
  readonly code = 'verdict_timeout';
  readonly canRetry = false;
}

export interface ControlHost {
  /** Changes as commands are decided; read it, never change it. */
  readonly state: ControlState;
  /**
   * Whether the state is good enough to vouch for keys: false once the reducer stopped, or is more than
   * `STALE_AFTER_MS` behind the log. A key may have been revoked that the state still holds.
   */
  readonly isCurrent: boolean;
  /**
   * Appends a command and gives the verdict once this node's reducer has passed it, so that whoever is answered reads
   * what they wrote. Secrets must be hashed already. Rejects with a `LogError` when the log refused it, and after 10 s with
   * `VerdictTimeoutError`. After either it may still be decided: a broker can have taken what it did not confirm.
   */
  submit(type: string, body: unknown): Promise<Verdict>;
  /** Told of keys that stop being good. Returns how to stop. */
  onRevoked(listener: (keyId: string) => void): () => void;
  close(): Promise<void>;
}

interface HostContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly health?: Health;
  /** How far behind the log the state may be; `STALE_AFTER_MS` by default. */
  readonly staleAfterMs?: number;
  /** When snapshots are taken; `SNAPSHOT_PACE` by default. */
  readonly snapshotPace?: SnapshotPace;
}

/**
 * Resolves once every command that was in the log is decided, however long that takes; rejects with a `LogError` when the
 * log gives none of those that are left for half a minute. The roles of one process share one host: each opener
 * closes it, the last one ends it.
 */
export const openControlHost: (context: HostContext) => Promise<ControlHost> = sharedByLog(startHost);

async function startHost(context: HostContext): Promise<Host> {
  const { log, codec } = context;
  await log.createTopics([commandTopic, clockTopic]);
  await codec.prepare([commandTopic, clockTopic]);
  const snapshots = await ControlSnapshots.open(context);
  const last = await log.last(AT);
  const { first } = await log.bounds(AT);
  const { state, next } = (await snapshots.load()) ?? { state: initialControlState(), next: first };
  const host = new Host(context, { state, position: next - 1, snapshots });
  await host.start(last);
  return host;
}

interface Beginning {
  readonly state: ControlState;
  /** Offset of the last command in it; -1 for none. */
  readonly position: number;
  readonly snapshots: ControlSnapshots;
}

interface Submitted {
  readonly id: string;
  readonly type: string;
  /** JSON. */
  readonly body: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

class Host implements ControlHost {
  readonly state: ControlState;
  private readonly context: HostContext;
  /** Null until the start has caught up. */
  private reader: LogReader | null = null;
  private readonly waiting = new Map<string, (verdict: Verdict) => void>();
  private readonly listeners = new Set<(keyId: string) => void>();
  private readonly freshness: Freshness;
  private readonly ending = new AbortController();
  /** What was read last. What cannot be taken now is taken before anything that comes after it. */
  private read: readonly LogRecord[] = [];
  /** How many of it are taken. */
  private taken = 0;
  private position: number;
  private readonly snapshots: SnapshotSchedule;
  private lastReceivedAt = 0;
  /** Not handed to the log yet; each of them has its limit of time in `submit`. */
  private submitted: Submitted[] = [];
  private appending: Promise<void> | null = null;
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();
  /** What keeps the state from being current, by where it shows. */
  private readonly troubles = new Map<'reading' | 'checking', string>();

  constructor(context: HostContext, { state, position, snapshots }: Beginning) {
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
      onTrouble: (error) => this.tell('checking', error),
      ...(staleAfterMs === undefined ? {} : { staleAfterMs }),
    });
  }

  get isCurrent(): boolean {
    return !this.stopped && this.freshness.isFresh;
  }

  /** @param last the newest command in the log; it may be in the snapshot already. */
  async start(last: LogRecord | null): Promise<void> {
    this.lastReceivedAt = last?.receivedAt ?? 0;
    const { log, logger, health } = this.context;
    const range = { from: this.position + 1, last: last?.offset ?? -1, atOnce: POLL_RECORDS };
    const progress = new StartProgress({ logger, ...range });
    for await (const records of readUntil(log, AT, range)) {
      await this.takeAll(records);
      progress.reached(this.position);
      // An embedded log answers without a pause, and a million commands take long: timers and sockets need turns.
      await yieldToIo();
    }
    this.reader = await log.reader([{ ...AT, offset: this.position + 1 }]);
    const reading = this.run(this.reader).catch((error: unknown) => {
      this.stopped = true;
      logger.error({ error }, 'the control reducer stopped by a fault');
      health?.failed(PART, error);
    });
    const { signal } = this.ending;
    this.running = Promise.all([reading, this.freshness.watch(signal), this.snapshots.run(signal)]);
  }

  async submit(type: string, body: unknown): Promise<Verdict> {
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const verdict = new Promise<Verdict>((resolve, reject) => {
      this.waiting.set(id, resolve);
      timer = setTimeout(
        () => reject(new VerdictTimeoutError(`no verdict on ${type} within ${VERDICT_TIMEOUT_MS} ms`)),
        VERDICT_TIMEOUT_MS,
      );
    });
    try {
      // The limit holds for the append too, which may wait long for a broker.
      return await Promise.race([verdict, this.append(id, type, JSON.stringify(body)).then(() => verdict)]);
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
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
    return new Promise((done, failed) => {
      this.submitted.push({ id, type, body, done, failed });
      this.appending ??= this.appendAll();
    });
  }

  /**
   * Batch after batch, since receive times must not go back within the partition. What is submitted while one is on its
   * way makes the next: a broker is asked and written to once for all of it.
   */
  private async appendAll(): Promise<void> {
    while (this.submitted.length > 0) await this.appendBatch(this.submitted.splice(0, BATCH_COMMANDS));
    this.appending = null;
  }

  private async appendBatch(batch: readonly Submitted[]): Promise<void> {
    try {
      this.lastReceivedAt = Math.max(this.lastReceivedAt, await this.pipelineTime());
    } catch (error) {
      for (const { failed } of batch) failed(error);
      return;
    }
    // Each by itself, so that one that the log refuses fails alone; the log sends them together.
    await Promise.all(batch.map((one) => this.appendOne(one, this.lastReceivedAt).then(one.done, one.failed)));
  }

  private async appendOne({ id, type, body }: Submitted, receivedAt: number): Promise<void> {
    const { log, codec } = this.context;
    const value = codec.encode(commandTopic, { id, receivedAt, wallTime: Date.now(), type, body });
    // Several nodes write this partition, so its records are unnumbered; the id, which is also the key, tells a repeat.
    await log.append([{ ...AT, key: id, value, receivedAt, seq: 0 }]);
  }

  /** Goes on until it is told to end: what passes by itself makes the state old, never the reducer end. */
  private async run(reader: LogReader): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await retry(() => this.poll(reader), {
        canRetry: (error) => mayPass(error, 'unknown_schema'),
        onFailure: (error) => this.tell('reading', error),
        onRecovered: () => this.tell('reading', null),
        signal,
      });
    }
  }

  private async poll(reader: LogReader): Promise<void> {
    if (this.ending.signal.aborted) return;
    if (this.taken < this.read.length) await this.takeRest();
    else await this.takeAll((await reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS)).records);
  }

  private takeAll(records: readonly LogRecord[]): Promise<void> {
    this.read = records;
    this.taken = 0;
    return this.takeRest();
  }

  private async takeRest(): Promise<void> {
    for (; this.taken < this.read.length; this.taken += 1) {
      const record = this.read[this.taken]!;
      if (!this.take(record)) {
        await this.context.codec.learn(record.value!);
        if (!this.take(record)) throw new CodecError('unknown_schema', 'the schema of a command is not known here yet');
      }
      this.position = record.offset;
    }
    this.freshness.reached(this.position);
  }

  /** Commands cannot be read now (the error says why), or can again (null). */
  private tell(where: 'reading' | 'checking', error: unknown): void {
    const { logger, health } = this.context;
    if (error === null) {
      this.troubles.delete(where);
      if (this.troubles.size > 0) return;
      logger.info('control commands are read again');
      health?.ready(PART);
      return;
    }
    if (this.troubles.size === 0) logger.error({ error }, 'control commands cannot be read; trying again');
    const message = error instanceof Error ? error.message : String(error);
    this.troubles.set(where, message);
    health?.degraded(PART, message);
  }

  /** False when the schema it was written with has to be learnt first: a start takes too many records to wait for each. */
  private take(record: LogRecord): boolean {
    this.lastReceivedAt = Math.max(this.lastReceivedAt, record.receivedAt);
    if (!record.value) return true;
    const { codec, logger } = this.context;
    let command: ControlCommand;
    try {
      command = codec.decode(commandTopic, record.value);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      if (error.code === 'unknown_schema') return false;
      // Every node passes over it, so all stay with the same state.
      const { offset } = record;
      logger.error({ offset, reason: error.message }, 'a record of control.commands is no command; passed over');
      return true;
    }
    const verdict = reduceControl(this.state, command);
    // Together with the state, for whoever takes a snapshot of it.
    this.position = record.offset;
    this.waiting.get(command.id)?.(verdict);
    if (!verdict.ok) return true;
    for (const keyId of verdict.revokedKeyIds) for (const listener of this.listeners) listener(keyId);
    return true;
  }

  /** The newest clock position: a command counts from there on, also while a recording plays. */
  private async pipelineTime(): Promise<number> {
    return (await this.context.log.last(CLOCK_AT))?.receivedAt ?? 0;
  }
}
