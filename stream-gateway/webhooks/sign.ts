/** Signs a delivery as in Standard Webhooks 1.0 (https://www.standardwebhooks.com). Pure. */
import { createHmac } from 'node:crypto';
import { deliveryHeaders, signedTime } from '#schemas/webhooks/delivery-headers';

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

/** The headers of a delivery, with a signature for each secret. */
export function signedHeaders({ eventId, at, body, secrets }: Signed): Record<string, string> {
  const content = `${eventId}.${signedTime(at)}.${body}`;
  const signature = secrets.map((secret) => `v1,${signatureOf(secret, content)}`).join(' ');
  return deliveryHeaders({ eventId, at, signature });
}

function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content, 'utf8').digest('base64');
}
