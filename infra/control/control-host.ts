/** Hosts the control reducer: reads `control.commands` from the start and on, and answers what was submitted here. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Verdict } from '#schemas/domain/control/command';
import { reduceControl } from '#schemas/domain/control/reduce';
import { type ControlState, initialControlState } from '#schemas/domain/control/state';
import { clockTopic, commandTopic } from '#schemas/topics/control';
import { type Codec, CodecError } from '../codec/codec.ts';
import { type EventLog, LogError, type LogReader, type LogRecord } from '../log/log.ts';
import { backoff } from '../retry.ts';
import type { Health } from '../telemetry/health.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const CLOCK_AT = { topic: clockTopic.name, partition: 0 };
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
   * Appends a command and gives the verdict once this node's reducer has passed it, so that whoever is answered reads
   * what they wrote. Secrets must be hashed already. Rejects with a `LogError` (not taken) or `VerdictTimeoutError`.
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
}

/** Hosts that are open, by the log they read: the roles of one process share one. */
const open = new WeakMap<EventLog, { readonly host: Promise<Host>; users: number }>();

/** Resolves once every command that was in the log is decided. Each opener closes it; the last one ends it. */
export async function openControlHost(context: HostContext): Promise<ControlHost> {
  const { log } = context;
  const shared = open.get(log) ?? { host: startHost(context), users: 0 };
  open.set(log, shared);
  shared.users += 1;
  try {
    return await shared.host;
  } catch (error) {
    open.delete(log);
    throw error;
  }
}

async function startHost(context: HostContext): Promise<Host> {
  const { log, codec } = context;
  await log.createTopics([commandTopic, clockTopic]);
  await codec.prepare([commandTopic, clockTopic]);
  const last = await log.last(AT);
  const { first } = await log.bounds(AT);
  const host = new Host(context, await log.reader([{ ...AT, offset: first }]));
  await host.start(last?.offset ?? -1);
  return host;
}

class Host implements ControlHost {
  readonly state = initialControlState();
  private readonly context: HostContext;
  private readonly reader: LogReader;
  private readonly waiting = new Map<string, (verdict: Verdict) => void>();
  private readonly listeners = new Set<(keyId: string) => void>();
  private position = -1;
  private lastReceivedAt = 0;
  private appending: Promise<void> = Promise.resolve();
  private stopping = false;
  private running: Promise<void> = Promise.resolve();

  constructor(context: HostContext, reader: LogReader) {
    this.context = context;
    this.reader = reader;
  }

  async start(until: number): Promise<void> {
    while (this.position < until) await this.poll();
    this.running = this.run();
    this.running.catch((error) => {
      this.context.logger.error({ error }, 'the control reducer stopped by a fault');
      this.context.health?.degraded(PART, 'the control reducer stopped by a fault; see the log');
    });
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
    // It can be late before the append is through; nobody listens to it until then.
    verdict.catch(() => {});
    try {
      await this.append(id, type, JSON.stringify(body));
      return await verdict;
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
    const shared = open.get(this.context.log);
    if (shared) shared.users -= 1;
    if (shared && shared.users > 0) return;
    open.delete(this.context.log);
    this.stopping = true;
    // A fault was told when it happened; closing goes on.
    await this.running.catch(() => {});
    await this.reader.close();
  }

  /** One after the other: receive times must not go back within the partition. */
  private append(id: string, type: string, body: string): Promise<void> {
    const { log, codec } = this.context;
    const done = this.appending.then(async () => {
      const receivedAt = Math.max(this.lastReceivedAt, await this.pipelineTime());
      this.lastReceivedAt = receivedAt;
      const value = codec.encode(commandTopic, { id, receivedAt, wallTime: Date.now(), type, body });
      // Several nodes write this partition, so its records are unnumbered; the id tells a repeat. It is also the key:
      // the topic is compacted, and every command must stay.
      await log.append([{ ...AT, key: id, value, receivedAt, seq: 0 }]);
    });
    this.appending = done.catch(() => {});
    return done;
  }

  private async run(): Promise<void> {
    for (let attempt = 0; !this.stopping; ) {
      try {
        await this.poll();
        if (attempt > 0) this.context.health?.ready(PART);
        attempt = 0;
      } catch (error) {
        if (!(error instanceof LogError) || !error.canRetry) throw error;
        if (attempt === 0) this.context.logger.error({ error }, 'commands cannot be read; trying again');
        this.context.health?.degraded(PART, error.message);
        await backoff(attempt);
        attempt += 1;
      }
    }
  }

  private async poll(): Promise<void> {
    const { records } = await this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
    for (const record of records) {
      await this.take(record);
      this.position = record.offset;
    }
  }

  private async take(record: LogRecord): Promise<void> {
    this.lastReceivedAt = Math.max(this.lastReceivedAt, record.receivedAt);
    if (!record.value) return;
    const command = await this.decode(record.value, record.offset);
    if (!command) return;
    const verdict = reduceControl(this.state, command);
    this.waiting.get(command.id)?.(verdict);
    if (!verdict.ok) return;
    for (const keyId of verdict.revokedKeyIds) for (const listener of this.listeners) listener(keyId);
  }

  /** Null for bytes that are no command: every node passes over them, so all stay with the same state. */
  private async decode(value: Buffer, offset: number) {
    try {
      await this.context.codec.learn(value);
      return this.context.codec.decode(commandTopic, value);
    } catch (error) {
      if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
      this.context.logger.error({ offset, error }, 'a record of control.commands is no command; passed over');
      return null;
    }
  }

  /** The newest clock position: a command counts from there on, also while a recording plays. */
  private async pipelineTime(): Promise<number> {
    return (await this.context.log.last(CLOCK_AT))?.receivedAt ?? 0;
  }
}
