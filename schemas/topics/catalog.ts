/** The catalog: every topic there is, apart from `state.<stage>` and `dead.<topic>`, which follow from the stages. */
import { auditTopic } from './audit.ts';
import { channelTopics } from './channels.ts';
import { changeTopic, clockTopic, commandTopic, epochTopic, schemaTopic, settingsTopic } from './control.ts';
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
import { usageTopic } from './usage.ts';
import { attemptTopic, deliveryTopic, progressTopic } from './webhooks.ts';

/** All topics, in the order in which data flows. */
export const TOPICS: readonly Topic[] = [
  ...rawTopics.values(),
  ...Object.values(feedTopics),
  clockTopic,
  commandTopic,
  changeTopic,
  usageTopic,
  attemptTopic,
  progressTopic,
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
  auditTopic,
  deliveryTopic,
  ...Object.values(channelTopics),
];
