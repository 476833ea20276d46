import type { Delivery } from '#schemas/topics/webhooks';
import { BODY_BYTES_MAX } from './limits.ts';
import type { Pending } from './queues.ts';

/** The bodies that are held between reading and sending, within a bound for all. */
export class BodyStore {
  private held = 0;

  /** Holds the body with its delivery, where there is room. */
  keep(pending: Pending, delivery: Delivery): Pending {
    const bytes = delivery.body.length;
    if (pending.delivery === null && this.held + bytes <= BODY_BYTES_MAX) {
      this.held += bytes;
      pending.delivery = delivery;
    }
    return pending;
  }

  /** Gives what is held of a delivery, and holds it no longer. */
  take(pending: Pending): Delivery | null {
    const { delivery } = pending;
    if (delivery) this.held -= delivery.body.length;
    pending.delivery = null;
    return delivery;
  }
}
