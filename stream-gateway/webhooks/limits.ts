/** Limits on the resources that the sender uses, whatever tenants and their endpoints do. */

/** Attempts at a time for one webhook (the contract, Webhooks). */
export const ATTEMPTS_PER_WEBHOOK = 8;
/** Attempts at a time altogether: each is a connection with its TLS state. */
export const ATTEMPTS_MAX = 512;
/**
 * The part of these for webhooks whose last answer was slow, bad or missing, or that have not answered yet: the others
 * keep the rest.
 */
export const SLOW_ATTEMPTS_MAX = 256;
/** Webhooks that are remembered, at about 100 bytes each, because their last answer was good and quick. */
export const PROVEN_MAX = 100_000;
/** An attempt that takes longer marks its webhook as slow, whatever the answer. */
export const SLOW_MS = 1_000;

/** Deliveries that may wait for all webhooks together; each webhook may have an equal share of it, within the two below. */
export const WAITING_MAX = 1_000_000;
export const WAITING_PER_WEBHOOK_MAX = 100_000;
export const WAITING_PER_WEBHOOK_MIN = 1_000;

/** Bytes of bodies that are cached from reading until sending. Other bodies are read again from the log. */
export const BODY_BYTES_MAX = 32 * 1_024 * 1_024;
/** Deliveries that wait for one webhook, above which the body of the next is not cached until its first attempt. */
export const BODIES_PER_WEBHOOK_MAX = 64;
/** A body is cached for a retry only if that is due within this time. */
export const BODY_HOLD_MS = 10_000;

/** Deliveries that end unsent with one append; as many as the reader of deliveries gets at a time. */
export const CANCEL_BATCH = 512;

/**
 * Time for running attempts at the close; then they are aborted, and repeated after the next start. All parts of the
 * process, which close one after the other, have 7 s together.
 */
export const CLOSE_GRACE_MS = 2_000;
