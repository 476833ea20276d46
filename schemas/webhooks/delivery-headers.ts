/** The headers of a delivery as in Standard Webhooks 1.0 (https://www.standardwebhooks.com). Pure. */

export interface SignedRequest {
  /** `id` of the CloudEvent: the same for every attempt. */
  readonly eventId: string;
  /** Unix ms of the attempt. */
  readonly at: number;
  /** One for each signing secret, newest first, separated by blanks. */
  readonly signature: string;
}

/** The time of an attempt as it is signed, unix seconds. */
export function signedTime(at: number): string {
  return String(Math.floor(at / 1_000));
}

/** `X-Svc-Signature` (specification, Webhooks) has the same value as the standard's `webhook-signature`. */
export function deliveryHeaders({ eventId, at, signature }: SignedRequest): Record<string, string> {
  return {
    'Content-Type': 'application/cloudevents+json; charset=utf-8',
    'User-Agent': 'Parallax-Webhooks/1',
    'webhook-id': eventId,
    'webhook-timestamp': signedTime(at),
    'webhook-signature': signature,
    'X-Svc-Signature': signature,
  };
}
