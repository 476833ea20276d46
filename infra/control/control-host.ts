/** Hosts the control reducer: reads `control.commands` from the start and on, and answers what was submitted here. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Verdict } from '#schemas/domain/control/command';
import { reduceControl } from '#schemas/domain/control/reduce';
import { type ControlState, initialControlState } from '#schemas/domain/control/state';
import { clockTopic, commandTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { EventLog, LogReader } from '../log/log.ts';

const AT = { topic: commandTopic.name, partition: 0 };
const POLL_RECORDS = 1_024;
const POLL_TIMEOUT_MS = 250;
const VERDICT_TIMEOUT_MS = 10_000;

export interface ControlHost {
  readonly state: ControlState;
  /** Appends a command and gives the verdict once this node's reducer has passed it. Secrets must be hashed already. */
  submit(type: string, body: unknown): Promise<Verdict>;
  /** Told of keys that stop being good. Returns how to stop. */
  onRevoked(listener: (keyId: string) => void): () => void;
  close(): Promise<void>;
}

interface HostContext {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

/** Resolves once every command that was in the log is decided. */
export async function openControlHost(context: HostContext): Promise<ControlHost> {
  const { log, codec } = context;
  await log.createTopics([commandTopic, clockTopic]);
  await codec.prepare([commandTopic, clockTopic]);
  const reader = await log.reader([{ ...AT, offset: (await log.bounds(AT)).first }]);
  const host = new Host(context, reader);
  await host.start((await log.last(AT))?.offset ?? -1);
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
  private stopping = false;
  private running: Promise<void> = Promise.resolve();

  constructor(context: HostContext, reader: LogReader) {
    this.context = context;
    this.reader = reader;
  }

  async start(until: number): Promise<void> {
    while (this.position < until) await this.pollOnce();
    this.running = this.run();
    this.running.catch((error) => this.context.logger.error({ error }, 'the control reducer stopped by a fault'));
  }

  async submit(type: string, body: unknown): Promise<Verdict> {
    const { log, codec } = this.context;
    const id = randomUUID();
    const receivedAt = Math.max(this.lastReceivedAt, await this.pipelineTime());
    const value = codec.encode(commandTopic, {
      id,
      receivedAt,
      wallTime: Date.now(),
      type,
      body: JSON.stringify(body),
    });
    const verdict = new Promise<Verdict>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`no verdict on ${type} within ${VERDICT_TIMEOUT_MS} ms`));
      }, VERDICT_TIMEOUT_MS);
      this.waiting.set(id, (found) => {
        clearTimeout(timer);
        resolve(found);
      });
    });
    // Several nodes write this partition, so its records are unnumbered; the id tells a repeat.
    await log.append([{ ...AT, key: id, value, receivedAt, seq: 0 }]);
    return verdict;
  }

  onRevoked(listener: (keyId: string) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.stopping = true;
    await this.running;
    await this.reader.close();
  }

  private async run(): Promise<void> {
    while (!this.stopping) await this.pollOnce();
  }

  private async pollOnce(): Promise<void> {
    const { codec } = this.context;
    const { records } = await this.reader.poll(POLL_RECORDS, POLL_TIMEOUT_MS);
    for (const record of records) {
      this.position = record.offset;
      this.lastReceivedAt = Math.max(this.lastReceivedAt, record.receivedAt);
      if (!record.value) continue;
      await codec.learn(record.value);
      const command = codec.decode(commandTopic, record.value);
      const verdict = reduceControl(this.state, command);
      this.waiting.get(command.id)?.(verdict);
      this.waiting.delete(command.id);
      if (!verdict.ok) continue;
      for (const keyId of verdict.revokedKeyIds) for (const listener of this.listeners) listener(keyId);
    }
  }

  /** The newest clock position: a command counts from there on, also while a recording plays. */
  private async pipelineTime(): Promise<number> {
    return (await this.context.log.last({ topic: clockTopic.name, partition: 0 }))?.receivedAt ?? 0;
  }
}
