import type { Venue } from '#schemas/domain/providers';
import { venueCandleRangeTopics, venueCandleTopics } from '#schemas/topics/candles';
import { channelTopics } from '#schemas/topics/channels';
import {
  bookTopics,
  contextTopics,
  instrumentTopics,
  marketTopics,
  statusTopics,
  tradeTopics,
} from '#schemas/topics/normalised';
import { resolutionTopics } from '#schemas/topics/oracle';
import type { Topic } from '#schemas/topics/topic';

/**
 * Returns the derived topics that every venue has. All of them are outputs of its normaliser, also those that it never
 * writes: other stages read them of every venue, and would wait forever for one without a watermark.
 */
export function venueTopics(venue: Venue): readonly Topic[] {
  return [
    tradeTopics[venue],
    bookTopics[venue],
    contextTopics[venue],
    instrumentTopics[venue],
    marketTopics[venue],
    statusTopics[venue],
    channelTopics[venue],
    resolutionTopics[venue],
    venueCandleTopics[venue],
    venueCandleRangeTopics[venue],
  ] as readonly Topic[];
}
