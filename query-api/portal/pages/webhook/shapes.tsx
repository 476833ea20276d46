/** Shapes of the routes below /v1/webhooks, and what several pages show of them. */
import { Moment } from '../../parts/time.tsx';

export interface Subscription {
  readonly eventType: string;
  readonly version: number;
  /** Missing if it was created without any. */
  readonly filters?: Readonly<Record<string, unknown>>;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly subscriptions: readonly Subscription[];
  readonly enabled: boolean;
  readonly disabledReason: 'manual' | 'gone' | 'failing' | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Attempt {
  readonly at: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly Attempt[];
}

/** Fields that only the route of one delivery returns. */
export interface SentAttempt extends Attempt {
  readonly requestHeaders: Readonly<Record<string, string>> | null;
}

export interface SentDelivery extends Delivery {
  readonly attempts: readonly SentAttempt[];
  readonly body: string;
}

const REASONS = {
  manual: 'disabled by hand',
  gone: 'disabled: the receiver answered 410 Gone',
  failing: 'disabled: every attempt failed for too long',
};

export function State({ webhook }: { readonly webhook: Webhook }) {
  if (webhook.enabled) return <span class="tag good">enabled</span>;
  return <span class="tag bad">{webhook.disabledReason ? REASONS[webhook.disabledReason] : 'disabled'}</span>;
}

const TONES = { delivered: 'tag good', failed: 'tag bad', pending: 'tag' };

export function DeliveryStatus({ status }: Pick<Delivery, 'status'>) {
  return <span class={TONES[status]}>{status}</span>;
}

const NO_NEXT = { delivered: 'it was delivered', failed: 'every attempt failed', pending: 'it is being sent now' };

export function NextAttempt({ delivery }: { readonly delivery: Delivery }) {
  return <Moment at={delivery.nextAttemptAt} reason={NO_NEXT[delivery.status]} />;
}

/** The page of a webhook. */
export function webhookPath(id: string): string {
  return `/portal/webhooks/${encodeURIComponent(id)}`;
}

/** The page of a delivery. */
export function deliveryPath(webhookId: string, id: string): string {
  return `${webhookPath(webhookId)}/deliveries/${encodeURIComponent(id)}`;
}

/** The route of a webhook. */
export function webhookRoute(id: string, rest = ''): string {
  return `/v1/webhooks/${encodeURIComponent(id)}${rest}`;
}
