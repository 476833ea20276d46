/** Appends an organization, its webhooks and their deliveries to an empty log. */
import { partitionOf } from '#schemas/topics/topic';
import { deliveryTopic } from '#schemas/topics/webhooks';
import { prepareSenderTopics } from '#stream-gateway/webhooks/sender';
import { openControlReplica } from '../../../control/control-replica.ts';
import type { AppendRecord } from '../../../log/log.ts';
import { urlOf } from './endpoints.ts';
import { deliveryOf, type MixedWebhook, ORGANIZATION } from './mix.ts';
import { type LogContext, openLogContext } from './open-log.ts';

/** Signing secret of every webhook. */
export const SECRET = `whsec_${'A'.repeat(43)}=`;

const KEY_ID = 'bench';
/** Never compared with, since the key is not used. */
const KEY_SECRET = { algorithm: 'scrypt', N: 16_384, r: 8, p: 1, salt: 'c2FsdA', hash: 'aGFzaA' };
const BATCH_RECORDS = 2_000;

/** @param port of the endpoints. */
export async function fillLog(path: string, mix: readonly MixedWebhook[], port: number): Promise<void> {
  const context = await openLogContext(path);
  try {
    await createWebhooks(context, mix, port);
    await prepareSenderTopics(context);
    await appendDeliveries(context, mix);
  } finally {
    await context.log.close();
  }
}

async function createWebhooks(context: LogContext, mix: readonly MixedWebhook[], port: number): Promise<void> {
  const control = await openControlReplica(context);
  const command = async (type: string, body: object) => {
    const verdict = await control.submit(type, body);
    if (!verdict.ok) throw new Error(`${type}: ${verdict.code} ${verdict.message}`);
  };
  try {
    const organization = { id: ORGANIZATION, name: 'Bench', plan: 'pro' };
    await command('key.seed', { keyId: KEY_ID, secret: KEY_SECRET, organization, minted: true });
    const actor = { orgId: ORGANIZATION, keyId: KEY_ID, userId: 'admin', sandbox: false };
    const subscriptions = [{ eventType: 'event.spread', version: 1 }];
    await Promise.all(
      mix.map(({ id: webhookId }) =>
        command('webhook.create', { actor, webhookId, url: urlOf(port, webhookId), subscriptions, secret: SECRET }),
      ),
    );
  } finally {
    await control.close();
  }
}

/** Appends the deliveries in turn, as for events that go to every webhook. */
async function appendDeliveries({ log, codec }: LogContext, mix: readonly MixedWebhook[]): Promise<void> {
  const seqs = Array.from({ length: deliveryTopic.partitions }, () => 0);
  let batch: AppendRecord[] = [];
  const most = Math.max(...mix.map(({ deliveries }) => deliveries));
  for (let number = 0; number < most; number += 1) {
    const receivedAt = Date.now();
    for (const { id, deliveries } of mix) {
      if (number >= deliveries) continue;
      const partition = partitionOf(id, deliveryTopic.partitions);
      const value = codec.encode(deliveryTopic, deliveryOf(id, number, receivedAt));
      seqs[partition]! += 1;
      batch.push({ topic: deliveryTopic.name, partition, key: id, value, receivedAt, seq: seqs[partition]! });
    }
    if (batch.length < BATCH_RECORDS && number < most - 1) continue;
    await log.append(batch);
    batch = [];
  }
}
