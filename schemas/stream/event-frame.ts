/** The shape of event frames. The gateway encodes them in its hot path, without this schema; its tests check them by it. */
import { z } from 'zod';
import { EVENT_PAYLOADS, type EventFrameType } from './payloads.ts';

const data = z
  .strictObject({
    type: z.enum(Object.keys(EVENT_PAYLOADS) as [EventFrameType, ...EventFrameType[]]).describe('What the payload is.'),
    provider: z
      .string()
      .nullable()
      .describe('Provider of the market that caused the event; null on a tick of the clock.'),
    marketId: z.string().nullable().describe('The market that caused the event; null on a tick of the clock.'),
    payload: z.unknown().describe('The record that REST returns too; for `raw` what the venue sent.'),
    receivedAt: z.int().describe('When the cause was received, unix ms.'),
  })
  .describe('The event.');

/** An event of any channel. */
export const eventFrame = z
  .strictObject({
    type: z.literal('event').describe('The type of the frame.'),
    subscription_id: z.string().describe('The subscription that it is sent to.'),
    channel: z.string().describe('The channel, as subscribed to.'),
    epoch: z.string().describe('Changes only when the channel was built again; `seq` then starts again.'),
    seq: z.int().describe('Number of the event on its channel, consecutive within an epoch.'),
    cursor: z.string().describe('The position after this event: sent as `since`, it continues from here.'),
    data,
  })
  .describe('An event of a subscribed channel.');

/** An event frame with the payload of one type. Extending a schema drops its description. */
export function eventFrameOf(type: EventFrameType): z.ZodType {
  const fields = { type: z.literal(type).describe('What the payload is.'), payload: EVENT_PAYLOADS[type] };
  return eventFrame.extend({ data: data.extend(fields).describe(data.description!) }).describe(eventFrame.description!);
}
