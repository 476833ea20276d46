/** A log with an organization and webhooks, deliveries appended directly, and the attempts of the sender. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, stdSerializers } from 'pino';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { openControlReplica } from '#infra/control/control-replica';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import { readPartition } from '#infra/log/read-partition';
import { GuardedClient } from '#infra/outbound/guarded-request';
import type { Running } from '#infra/runtime/context';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { partitionOf } from '#schemas/topics/topic';
import { attemptTopic, type Delivery, type DeliveryAttempt, deliveryTopic } from '#schemas/topics/webhooks';
import { parseSchedule } from './schedule.ts';
import { prepareSenderTopics, startSender } from './sender.ts';

const HASH = { algorithm: 'scrypt', N: 16_384, r: 8, p: 1, salt: 'c2FsdA', hash: 'aGFzaA' } as const;
const ACTOR = { orgId: 'org_first', keyId: 'first', userId: 'admin', sandbox: false };

export const secretOf = (char: string) => `whsec_${char.repeat(43)}=`;

export interface SenderHarnessOptions {
  /** An existing folder, to reopen a log. */
  readonly path?: string;
  /** Like the setting. */
  readonly schedule?: string;
  /** Of an attempt; by default so long that none ends by it, however slow the machine is. */
  readonly timeoutMs?: number;
  readonly cancelAfterMs?: number;
  /** Delay of the sender's commands. */
  readonly submitDelayMs?: number;
}

export type SenderHarness = Awaited<ReturnType<typeof openSenderHarness>>;

export async function openSenderHarness(options: SenderHarnessOptions = {}) {
  const { schedule = '0,0.05,0.05,0.05', timeoutMs = 20_000, cancelAfterMs = 0, submitDelayMs = 0 } = options;
  const path = options.path ?? mkdtempSync(join(tmpdir(), 'parallax-webhooks-'));
  const log = await openEmbeddedLog({ path });
  const codec = createCodec(await openLogRegistry(log));
  const logged: string[] = [];
  const context = {
    log,
    codec,
    health: createHealth(),
    metrics: createMetrics(),
    logger: pino(
      { level: 'debug', serializers: { error: stdSerializers.err } },
      { write: (line: string) => void logged.push(line) },
    ),
  };
  const control = await openControlReplica(context);
  await prepareSenderTopics(context);
  const command = async (type: string, body: object) => {
    const verdict = await control.submit(type, body);
    if (!verdict.ok) throw new Error(`${type}: ${verdict.code} ${verdict.message}`);
  };
  if (!control.state.keys.has('first'))
    await command('key.seed', {
      keyId: 'first',
      secret: HASH,
      organization: { id: 'org_first', name: 'First', plan: 'pro' },
      minted: true,
    });
  const client = new GuardedClient({ allowLoopback: true, timeoutMs });
  const slowControl = {
    state: control.state,
    get isCurrent() {
      return control.isCurrent;
    },
    async submit(type: string, body: unknown) {
      await new Promise((resolve) => setTimeout(resolve, submitDelayMs));
      return control.submit(type, body);
    },
  };
  let sender: Running | null = null;
  return {
    ...context,
    path,
    control,
    logged,
    /** Sends a command of the first organization's admin. */
    asAdmin: (type: string, body: object) => command(type, { actor: ACTOR, ...body }),
    async webhook(webhookId: string, url: string) {
      const subscriptions = [{ eventType: 'event.spread', version: 1 }];
      await command('webhook.create', { actor: ACTOR, webhookId, url, subscriptions, secret: secretOf('A') });
    },
    /** Appends deliveries of one webhook with this event time, named after the webhook and their numbers. */
    async deliver(webhookId: string, numbers: readonly number[], receivedAt = Date.now()) {
      const partition = partitionOf(webhookId, deliveryTopic.partitions);
      const last = await log.last({ topic: deliveryTopic.name, partition });
      const records = numbers.map((number, nth) => {
        const value = codec.encode(deliveryTopic, deliveryOf(webhookId, number, receivedAt));
        const seq = (last?.seq ?? 0) + nth + 1;
        return { topic: deliveryTopic.name, partition, key: webhookId, value, receivedAt, seq };
      });
      await log.append(records);
    },
    /** Starts the sender; `fetchSchema` replaces the codec's. */
    start({ fetchSchema = (bytes: Buffer) => codec.fetchSchema(bytes) } = {}) {
      sender = startSender({
        ...context,
        codec: {
          fetchSchema,
          prepare: (topics) => codec.prepare(topics),
          encode: (topic, value) => codec.encode(topic, value),
          decode: (topic, bytes) => codec.decode(topic, bytes),
          decodeRecord: (topic, record) => codec.decodeRecord(topic, record),
          hasSchema: (bytes) => codec.hasSchema(bytes),
        },
        control: slowControl,
        client,
        schedule: parseSchedule(schedule),
        part: 'webhooks',
        cancelAfterMs,
      });
    },
    async stop() {
      await sender?.close();
      sender = null;
    },
    /** Every attempt in the log, in order within each partition. */
    async attempts(): Promise<DeliveryAttempt[]> {
      const attempts: DeliveryAttempt[] = [];
      for (let partition = 0; partition < attemptTopic.partitions; partition += 1)
        await readPartition(log, { topic: attemptTopic.name, partition }, (record) => {
          attempts.push(codec.decode(attemptTopic, record.value!));
        });
      return attempts;
    },
    /** Waits until `count` deliveries are finished; returns their last records by delivery. */
    async finished(count: number, timeoutMs = 20_000): Promise<Map<string, DeliveryAttempt>> {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const done = (await this.attempts()).filter(({ outcome }) => outcome !== 'pending');
        const byId = new Map(done.map((attempt) => [attempt.deliveryId, attempt]));
        if (byId.size >= count) return byId;
        if (Date.now() > deadline) throw new Error(`${byId.size} of ${count} deliveries are finished`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async close() {
      await this.stop();
      await control.close();
      await log.close();
    },
  };
}

export function deliveryOf(webhookId: string, number: number, at: number): Delivery {
  const eventId = `evt-${webhookId}-${number}`;
  return {
    id: `dlv_${webhookId}-${number}`,
    webhookId,
    orgId: ACTOR.orgId,
    eventId,
    eventType: 'event.spread',
    receivedAt: at,
    createdAt: at,
    test: false,
    body: JSON.stringify({ specversion: '1.0', id: eventId, data: { price: '0.5', note: 'é€' } }),
  };
}

/** Consecutive integers from `from` on. */
export const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, nth) => from + nth);
