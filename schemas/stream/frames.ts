/**
 * Frames of `/v1/stream` (specification, Events; the contract's WebSocket section). Server frames add fields to the
 * specified shapes and never change them.
 */
import { z } from 'zod';
import { PRICE_STATES } from '../domain/price-state.ts';

const frameType = <const T extends string>(type: T) => z.literal(type).describe('The type of the frame.');

export const clientFrame = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: frameType('subscribe'),
      channel: z.string().min(1).max(512).describe('Name of the channel.'),
      since: z
        .string()
        .min(1)
        .max(256)
        .nullish()
        .describe('A cursor that the server issued, or `earliest`; null or left out for the next event on.'),
    })
    .describe('Subscribes to a channel.'),
  z
    .strictObject({
      type: frameType('unsubscribe'),
      subscription_id: z.string().min(1).max(64).describe('The subscription to end.'),
    })
    .describe('Ends a subscription.'),
  z.strictObject({ type: frameType('ping') }).describe('Asks for a `pong`.'),
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

const subscriptionId = z.string().describe('Id of the subscription on this connection.');
/** Frames of the server other than events (`event-frame.ts`). */
export const serverFrame = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: frameType('subscribed'),
      subscription_id: subscriptionId,
      channel: z.string().describe('The channel.'),
      cursor: z.string().describe('The position before the first event.'),
    })
    .describe('Acknowledges a `subscribe`.'),
  z
    .strictObject({ type: frameType('unsubscribed'), subscription_id: subscriptionId })
    .describe('Acknowledges an `unsubscribe`.'),
  z.strictObject({ type: frameType('pong') }).describe('Answers a `ping`, and comes every 30 s by itself.'),
  z
    .strictObject({
      type: frameType('error'),
      error: z.enum(STREAM_ERRORS).describe('Stable; clients branch on it.'),
      channel: z.string().optional().describe('The channel that it concerns, if any.'),
    })
    .describe('Reports an error; the connection stays open.'),
  z
    .strictObject({
      type: frameType('gap'),
      subscription_id: subscriptionId,
      from: z.string().describe('The cursor after which events are missing.'),
      to: z.string().describe('The cursor up to which events are missing.'),
      refill: z.string().nullable().describe('REST path of what they were about; null where there is none.'),
    })
    .describe('Reports events that are missing.'),
  z
    .strictObject({
      type: frameType('lagged'),
      subscription_id: subscriptionId,
      fromSeq: z.int().describe('First dropped `seq`.'),
      toSeq: z.int().describe('Last dropped `seq`.'),
      dropped: z.int().describe('How many events were dropped.'),
    })
    .describe('Reports events that were dropped because the client reads too slowly or its quota is used up.'),
  z
    .strictObject({
      type: frameType('status'),
      subscription_id: subscriptionId,
      state: z.enum(PRICE_STATES).describe('The state of the markets behind the channel.'),
      since: z.int().describe('Since when, unix ms.'),
    })
    .describe('Reports the state of the markets behind the channel, after `subscribed` and at each change.'),
]);
export type ServerFrame = Readonly<z.infer<typeof serverFrame>>;
