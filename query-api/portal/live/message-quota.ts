/** How long the stream sends no events because the organization's quota of messages is used up. */
import { signal } from '@preact/signals';
import { request } from './api.ts';
import { ApiFault } from './api-fault.ts';
import { serviceNow } from './service-clock.ts';

const SKU = 'ws.message';
/** The service sends again shortly after the window has ended. */
const AFTER_RESET_MS = 500;

interface Quota {
  readonly sku: string;
  readonly remaining: number;
  readonly resetAt: string;
}

export interface MessageQuota {
  /** Unix ms. */
  readonly since: number;
  /** Unix ms at which the window ends; null while that is unknown. */
  readonly until: number | null;
}

/** Null while events are sent. */
export const messageQuota = signal<MessageQuota | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** The end of the last used-up window of messages, unix ms; null if none is used up. */
export function messagesResetAt(quotas: readonly Quota[]): number | null {
  const ends = quotas
    .filter(({ sku, remaining }) => sku === SKU && remaining <= 0)
    .map(({ resetAt }) => Date.parse(resetAt));
  return ends.length === 0 ? null : Math.max(...ends);
}

/** Called when the stream reports that the quota is used up. Until when is read by REST. */
export function noteUsedMessages(): void {
  if (messageQuota.peek() !== null) return;
  const used = { since: serviceNow(), until: null };
  messageQuota.value = used;
  request<{ readonly quotas: readonly Quota[] }>('/v1/me/quotas')
    .then(({ quotas }) => {
      const until = messagesResetAt(quotas);
      if (until === null || messageQuota.peek() !== used) return;
      messageQuota.value = { ...used, until };
      timer = setTimeout(noteSentMessages, until + AFTER_RESET_MS - serviceNow());
    })
    .catch((fault: unknown) => {
      // The end stays unknown. The next event shows that the quota is free again.
      if (!(fault instanceof ApiFault)) throw fault;
    });
}

/** Called with each event, and when the connection ends. */
export function noteSentMessages(): void {
  if (messageQuota.peek() === null) return;
  clearTimeout(timer);
  messageQuota.value = null;
}
