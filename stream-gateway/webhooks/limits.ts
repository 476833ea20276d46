/** What the sender may take up, whatever tenants and their endpoints do. */

/** Attempts at a time for one webhook (the contract, Webhooks). */
export const ATTEMPTS_PER_WEBHOOK = 8;
/** Attempts at a time altogether: each is a connection with its TLS state. */
export const ATTEMPTS_MAX = 512;
/** Of these, for webhooks whose last answer was slow, bad or none, or is not known: they leave room for the others. */
export const SLOW_ATTEMPTS_MAX = 256;
/** Webhooks of which it is remembered, about 100 bytes each, that their last answer was good and quick. */
export const PROVEN_MAX = 100_000;
/** An attempt that took longer makes its webhook a slow one, whatever the answer. */
export const SLOW_MS = 1_000;

/** Deliveries that may wait for all webhooks together; each webhook may have an equal share of it, within the two below. */
export const WAITING_MAX = 1_000_000;
export const WAITING_PER_WEBHOOK_MAX = 100_000;
export const WAITING_PER_WEBHOOK_MIN = 1_000;

/** Bytes of bodies that are kept from reading until sending. What goes beyond is read again from the log. */
export const BODY_BYTES_MAX = 32 * 1_024 * 1_024;
/** Bodies kept for one webhook, so that one that stands still does not have them all. */
export const BODIES_PER_WEBHOOK_MAX = 64;
/** A body that is not sent within this is let go. */
export const BODY_KEPT_MS = 10_000;

/** Attempts under way at the close are given so long, then cut; they are made again after the next start. */
export const CLOSE_GRACE_MS = 5_000;
