/**
 * A replica of the control state: reads `control.commands` from the newest snapshot on, reduces every command, and
 * returns the verdicts of commands that were submitted here.
 */
import { randomUUID } from 'node:crypto';
import type { Verdict } from '#schemas/domain/control/decision';
import { reduceControl } from '#schemas/domain/control/reduce';
import { type ControlState, initialControlState } from '#schemas/domain/control/state';
import { type ControlCommand, clockTopic, commandTopic } from '#schemas/topics/control';
import { sharedPerLog } from '../log/shared-per-log.ts';
import { type FollowerContext, TopicFollower } from '../stages/topic-follower.ts';
import { ControlSnapshotWriter, type SnapshotPace } from './control-snapshot-writer.ts';
import { ControlSnapshots } from './control-snapshots.ts';
import { ReplicaLag } from './replica-lag.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };
/**
 * Commands that are appended at a time: far fewer than the recent ids by which the reducer detects a repeat
 * (`recent-ids.ts`).
 */
const BATCH_COMMANDS = 256;
const VERDICT_TIMEOUT_MS = 10_000;

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

interface ReplicaContext extends FollowerContext {
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
  const { first } = await log.bounds(AT);
  const { state, next } = (await snapshots.load()) ?? { state: initialControlState(), next: first };
  const replica = new LogControlReplica(context, { state, next, snapshots });
  await replica.start();
  return replica;
}

interface InitialState {
  readonly state: ControlState;
  /** Offset of the first command that is not in the state. */
  readonly next: number;
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
  private readonly follower: TopicFollower<ControlCommand>;
  private readonly pendingVerdicts = new Map<string, (verdict: Verdict) => void>();
  private readonly listeners = new Set<(keyId: string) => void>();
  private readonly lag: ReplicaLag;
  private readonly snapshots: ControlSnapshotWriter;
  private lastReceivedAt = 0;
  /** Commands that are not appended yet; each has its time limit in `submit`. */
  private pendingCommands: PendingCommand[] = [];
  private appending: Promise<void> | null = null;
  private running: Promise<unknown> = Promise.resolve();

  constructor(context: ReplicaContext, { state, next, snapshots }: InitialState) {
    this.context = context;
    this.state = state;
    this.follower = new TopicFollower(context, {
      topic: commandTopic,
      part: 'control',
      from: next,
      handle: (command, { receivedAt }) => this.reduce(command, receivedAt),
      afterPoll: () => this.lag.reached(this.follower.handledOffset),
    });
    this.snapshots = new ControlSnapshotWriter({
      snapshots,
      logger: context.logger,
      from: next,
      ...(context.snapshotPace ? { pace: context.snapshotPace } : {}),
      now: () => ({ state: this.state, next: this.follower.handledOffset + 1, receivedAt: this.lastReceivedAt }),
    });
    const { log, staleAfterMs } = context;
    this.lag = new ReplicaLag({
      newest: async () => (await log.last(AT))?.offset ?? -1,
      onProblem: (error) => this.follower.reportProblem('checking', error),
      ...(staleAfterMs === undefined ? {} : { staleAfterMs }),
    });
  }

  get isCurrent(): boolean {
    return !this.follower.hasFailed && this.lag.isCurrent;
  }

  async start(): Promise<void> {
    this.lastReceivedAt = (await this.context.log.last(AT))?.receivedAt ?? 0;
    await this.follower.catchUp();
    await this.follower.start();
    const { signal } = this.follower;
    this.running = Promise.all([this.lag.watch(signal), this.snapshots.run(signal)]);
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
    await this.follower.close();
    await this.running;
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

  private reduce(command: ControlCommand, receivedAt: number): void {
    this.lastReceivedAt = Math.max(this.lastReceivedAt, receivedAt);
    const verdict = reduceControl(this.state, command);
    this.pendingVerdicts.get(command.id)?.(verdict);
    if (!verdict.ok) return;
    for (const keyId of verdict.revokedKeyIds) for (const listener of this.listeners) listener(keyId);
  }

  /** The newest position of `control.clock`: a command is valid from there on, also during playback. */
  private async pipelineTime(): Promise<number> {
    return (await this.context.log.last(CLOCK_AT))?.receivedAt ?? 0;
  }
}
