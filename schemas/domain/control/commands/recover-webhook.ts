import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { KeyCommand } from '../command.ts';
import { accepted, refused } from '../decision.ts';
import { webhookOf } from '../lookups.ts';

/** Deliveries that one recovery may send again. */
export const RECOVERED_DELIVERIES_MAX = 10_000;
/** Characters of the compressed deliveries: the command and its copy in the pipeline are one record each. */
export const RECOVERED_LENGTH_MAX = 6 * 1_024 * 1_024;

/** A failed delivery that is sent again. */
export interface RecoveredDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The CloudEvent as it was sent. */
  readonly body: string;
}

const body = z.object({
  webhookId: z.string(),
  count: z.int().min(0).max(RECOVERED_DELIVERIES_MAX),
  /** What `compressDeliveries` returned. REST has checked that they belong to the webhook and have failed. */
  deliveries: z.string().min(1).max(RECOVERED_LENGTH_MAX),
});

/** The outcome without the deliveries, because results are stored for a day under their `Idempotency-Key`. */
export interface WebhookRecovery {
  readonly webhookId: string;
  readonly deliveries: number;
}

/**
 * Requests that failed deliveries are sent again, in their order. One command holds all of them with their bodies: what is
 * accepted is complete, whenever a process ends, and no delivery is sent twice for it.
 */
export const recoverWebhook: KeyCommand<z.infer<typeof body>, WebhookRecovery> = {
  type: 'webhook.recover',
  action: 'webhook.recover',
  by: 'admin',
  body,
  decide(state, { webhookId, count }, { actor }) {
    const webhook = webhookOf(state, actor, webhookId);
    if (!webhook) return refused('not_found', 'no such webhook');
    if (!webhook.enabled) return refused('conflict', 'the webhook is disabled');
    return accepted({ webhookId, deliveries: count }, { orgId: webhook.orgId, targetId: webhookId });
  },
};

const deflate = promisify(deflateRaw);

/** The deliveries as text. CloudEvents of a webhook resemble one another, so that a fraction of their length remains. */
export async function compressDeliveries(deliveries: readonly RecoveredDelivery[]): Promise<string> {
  return (await deflate(JSON.stringify(deliveries))).toString('base64');
}

export function decompressDeliveries(text: string): RecoveredDelivery[] {
  return JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString()) as RecoveredDelivery[];
}
