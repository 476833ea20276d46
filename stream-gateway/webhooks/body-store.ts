import type { Delivery } from '#schemas/topics/webhooks';
import { BODY_BYTES_MAX } from './limits.ts';
import type { Pending } from './queues.ts';

/** Caches bodies between reading and sending, within one bound for all. */
export class BodyStore {
  private heldBytes = 0;

  /** Caches the body with its delivery if there is room. */
  hold(pending: Pending, delivery: Delivery): Pending {
    const bytes = delivery.body.length;
    if (pending.delivery === null && this.heldBytes + bytes <= BODY_BYTES_MAX) {
      this.heldBytes += bytes;
      pending.delivery = delivery;
    }
    return pending;
  }

  /** Removes a delivery's body from the cache and returns it. */
  release(pending: Pending): Delivery | null {
    const { delivery } = pending;
    if (delivery) this.heldBytes -= delivery.body.length;
    pending.delivery = null;
    return delivery;
  }
}
