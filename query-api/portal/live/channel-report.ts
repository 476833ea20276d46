/** What the messages of a channel say beside its events; pure. */
import type { PriceState } from '#schemas/domain/price-state';
import type { StreamMessage } from '#stream-gateway/client/stream-client';

/** True if events of the channel are missing for good. */
export const hasGap = (messages: readonly StreamMessage[]): boolean => messages.some(({ type }) => type === 'gap');

/** True if the service refused the channel for good. */
export const isRefusal = (messages: readonly StreamMessage[]): boolean =>
  messages.some((message) => message.type === 'error' && message.isFinal);

/**
 * True if the messages report another state of the channel's markets than the one before.
 *
 * @param states the last state of each channel, which this brings up to date.
 */
export function hasOtherState(
  channel: string,
  messages: readonly StreamMessage[],
  states: Map<string, PriceState>,
): boolean {
  let isOther = false;
  for (const message of messages) {
    if (message.type !== 'status') continue;
    const before = states.get(channel);
    if (before !== undefined && before !== message.state) isOther = true;
    states.set(channel, message.state);
  }
  return isOther;
}
