/** The catalog: every topic there is, apart from `state.<stage>` and `dead.<topic>`, which follow from the stages. */
import { channelTopics } from './channels.ts';
import { clockTopic, commandTopic, epochTopic, schemaTopic, settingsTopic } from './control.ts';
import {
  arbitrageHeadTopic,
  arbitrageTopic,
  candleTopic,
  eventTopic,
  reconcileTopic,
  spreadHeadTopic,
  spreadTopic,
} from './derived.ts';
import { bookTopics, contextTopics, instrumentTopics, marketTopics, statusTopics, tradeTopics } from './normalised.ts';
import { feedTopics, rawTopics } from './raw.ts';
import type { Topic } from './topic.ts';

/** All topics, in the order in which data flows. */
export const TOPICS: readonly Topic[] = [
  ...rawTopics.values(),
  ...Object.values(feedTopics),
  clockTopic,
  commandTopic,
  settingsTopic,
  epochTopic,
  schemaTopic,
  ...Object.values(tradeTopics),
  ...Object.values(bookTopics),
  ...Object.values(marketTopics),
  ...Object.values(statusTopics),
  ...Object.values(instrumentTopics),
  ...Object.values(contextTopics),
  candleTopic,
  eventTopic,
  reconcileTopic,
  spreadHeadTopic,
  spreadTopic,
  arbitrageHeadTopic,
  arbitrageTopic,
  ...Object.values(channelTopics),
];
