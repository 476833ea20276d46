/** Builds the headers of a delivery as in Standard Webhooks 1.0 (https://www.standardwebhooks.com). Pure. */
import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

export interface Signed {
  /** `id` of the CloudEvent: the same for every attempt. */
  readonly eventId: string;
  /** Unix ms of the attempt. */
  readonly at: number;
  /** The CloudEvent as it is sent. */
  readonly body: string;
  /** `whsec_…`, newest first. */
  readonly secrets: readonly string[];
}

/** `X-Svc-Signature` (specification, Webhooks) has the same value as the standard's `webhook-signature`. */
export function deliveryHeaders({ eventId, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const content = `${eventId}.${timestamp}.${body}`;
  const signature = secrets.map((secret) => `v1,${signatureOf(secret, content)}`).join(' ');
  return {
    'Content-Type': 'application/cloudevents+json; charset=utf-8',
    'User-Agent': 'Parallax-Webhooks/1',
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'X-Svc-Signature': signature,
  };
}

function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content, 'utf8').digest('base64');
}
