/**
 * Frames of `/v1/stream` (specification, Events; the contract's WebSocket section). Server frames add fields to the
 * specified shapes and never change them.
 */
import { z } from 'zod';
import { PRICE_STATES } from '../domain/price-state.ts';

/** A cursor that the server issued, or `earliest`. */
const since = z.string().min(1).max(256);

const clientFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('subscribe'), channel: z.string().min(1).max(512), since: since.nullish() }),
  z.strictObject({ type: z.literal('unsubscribe'), subscription_id: z.string().min(1).max(64) }),
  z.strictObject({ type: z.literal('ping') }),
]);
/** A frame that a client may send. */
export type ClientFrame = z.infer<typeof clientFrame>;

/** Parses a client frame; null for any other text, which the gateway answers with the error `bad_frame`. */
export function parseClientFrame(text: string): ClientFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = clientFrame.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** Codes of error frames. */
export const STREAM_ERRORS = [
  'bad_frame',
  'unknown_channel',
  'unknown_subscription',
  'forbidden_scope',
  'subscription_limit',
  'quota_exceeded',
  'internal_error',
] as const;
export type StreamErrorCode = (typeof STREAM_ERRORS)[number];

/** Codes and reasons with which the server closes a socket. */
export const CLOSE = {
  /** No frame of any kind from the client for 60 s. */
  idle: { code: 1001, reason: 'idle' },
  /** A client frame above 16 KiB. */
  tooLarge: { code: 1009, reason: 'frame too large' },
  /** The node stops: clients reconnect after a random delay of 0 to 10 s. */
  restart: { code: 1012, reason: 'restart' },
  /** The key was revoked, or its organization suspended or deleted. */
  revoked: { code: 4001, reason: 'token revoked' },
  /** The portal session of the socket ended: it was signed out, or expired. */
  sessionEnded: { code: 4001, reason: 'session ended' },
  /** Frames were dropped for 10 s without the queue falling below half. */
  overflow: { code: 4008, reason: 'too slow' },
} as const;

const subscriptionId = z.string();
/** Frames of the server other than events, which the gateway encodes in its hot path. */
export const serverFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('subscribed'),
    subscription_id: subscriptionId,
    channel: z.string(),
    cursor: z.string(),
  }),
  z.strictObject({ type: z.literal('unsubscribed'), subscription_id: subscriptionId }),
  z.strictObject({ type: z.literal('pong') }),
  z.strictObject({ type: z.literal('error'), error: z.enum(STREAM_ERRORS), channel: z.string().optional() }),
  z.strictObject({
    type: z.literal('gap'),
    subscription_id: subscriptionId,
    from: z.string(),
    to: z.string(),
    refill: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal('lagged'),
    subscription_id: subscriptionId,
    fromSeq: z.int(),
    toSeq: z.int(),
    dropped: z.int(),
  }),
  z.strictObject({
    type: z.literal('status'),
    subscription_id: subscriptionId,
    state: z.enum(PRICE_STATES),
    since: z.int(),
  }),
]);
export type ServerFrame = Readonly<z.infer<typeof serverFrame>>;
