/** The frames by which venue_a is subscribed to something, and its replies (venue page, section 7). */
import { asObject, asText, parseJsonOrNull } from '#schemas/domain/json-fields';
import type { ConfirmedProtocol, SubscriptionReply, UnnamedError } from '../../feed/confirmed-subscriber.ts';
import { nameOf, type RankedSubscription, type Subscription } from './subscriptions.ts';

const RESPONSE = Buffer.from('{"channel":"subscriptionResponse"');
const ERROR = Buffer.from('{"channel":"error"');
const startsWith = (frame: Buffer, start: Buffer) => frame.subarray(0, start.length).equals(start);

/** The meanings of texts of errors about a subscription; the subscription follows as JSON. */
const ERROR_STATES = [
  ['Already subscribed', 'subscribed'],
  ['Already unsubscribed', 'ended'],
  ['Invalid subscription', 'refused'],
  ['Too many subscriptions', 'refused'],
] as const;
/** The start of the error about the limit of users, which names no subscription. */
const USERS_ERROR = 'Cannot track more than';
/** The start of the error about a frame that the venue does not know; the frame follows. */
const FRAME_ERROR = 'Error parsing JSON into valid websocket request';

export const SUBSCRIPTION_PROTOCOL: ConfirmedProtocol<RankedSubscription> = {
  subscribeFrame: ({ subscription }) => JSON.stringify({ method: 'subscribe', subscription }),
  unsubscribeFrame: ({ subscription }) => JSON.stringify({ method: 'unsubscribe', subscription }),
  readReply,
};

function readReply(frame: Buffer): SubscriptionReply | UnnamedError<RankedSubscription> | null {
  if (startsWith(frame, RESPONSE)) {
    const { method, subscription } = asObject(asObject(parseJsonOrNull(frame.toString())).data);
    return replyOf(subscription, method === 'unsubscribe' ? 'ended' : 'subscribed');
  }
  if (!startsWith(frame, ERROR)) return null;
  const text = asText(asObject(parseJsonOrNull(frame.toString())).data) ?? '';
  const repeated = text.includes('{') ? parseJsonOrNull(text.slice(text.indexOf('{'))) : null;
  const state = ERROR_STATES.find(([start]) => text.startsWith(start))?.[1];
  const { method, subscription } = asObject(repeated);
  const reply =
    text.startsWith(FRAME_ERROR) && method === 'subscribe'
      ? replyOf(subscription, 'refused')
      : state && replyOf(repeated, state);
  if (reply) return reply;
  const isOfUser = ({ subscription: { user } }: RankedSubscription) => user !== undefined;
  return { text, refuses: text.startsWith(USERS_ERROR) ? isOfUser : null };
}

/** The venue adds fields to the subscription that it repeats. */
function replyOf(repeated: unknown, state: SubscriptionReply['state']): SubscriptionReply | null {
  const { type, coin, user } = asObject(repeated);
  const typeText = asText(type);
  if (typeText === null) return null;
  const subscription: Subscription = {
    type: typeText,
    ...(asText(coin) === null ? {} : { coin: String(coin) }),
    ...(asText(user) === null ? {} : { user: String(user).toLowerCase() }),
  };
  return { name: nameOf(subscription), state };
}
