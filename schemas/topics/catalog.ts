/** The catalog of all topics except `state.<stage>` and `dead.<topic>`, which follow from the stages. */

import {
  accountFillTopic,
  fillLoadTopic,
  fillPageTopic,
  subscribedFillTopic,
  tradeRecordingTopic,
} from './account-fills.ts';
import { accountFlowTopics, flowCoverageTopics } from './account-flows.ts';
import { accountSeriesTopic } from './account-series.ts';
import {
  accountValueTopic,
  failedAcquisitionTopics,
  venueAAcquisitionTopic,
  venueBAcquisitionTopic,
} from './accounts.ts';
import { anomalyTopic } from './anomalies.ts';
import { arbitrageSignalTopic } from './arbitrage-signals.ts';
import { auditTopic } from './audit.ts';
import { backfillTopic } from './backfills.ts';
import { bookHeadTopic } from './book-heads.ts';
import { builderDayTopic, builderFillTopic, registeredBuilderTopic } from './builder-exports.ts';
import {
  candleRangeTopic,
  candleTopic,
  externalCandleRangeTopic,
  externalCandleTopic,
  venueCandleRangeTopics,
  venueCandleTopics,
} from './candles.ts';
import { channelTopics } from './channels.ts';
import { collateralChangeTopic } from './collateral-changes.ts';
import { changeTopic, clockTopic, commandTopic, epochTopic, schemaTopic, settingsTopic } from './control.ts';
import { dailyRowTopic, spotSampleTopic } from './daily.ts';
import {
  arbitrageHeadTopic,
  arbitrageTopic,
  eventTopic,
  reconcileTopic,
  spreadHeadTopic,
  spreadTopic,
} from './derived.ts';
import { earlierOutcomesTopic } from './earlier-outcomes.ts';
import { followedBlockTopic } from './followed-blocks.ts';
import { leaderboardRowTopic, leaderboardTopic } from './leaderboard.ts';
import { ledgerChangeTopic, ledgerCheckTopic } from './ledger-checks.ts';
import { ledgerEventTopic, ledgerTopic, openBookTopic } from './ledgers.ts';
import { loadedKlinesTopic } from './loaded-klines.ts';
import { navSnapshotTopic, snapshotHeadTopic } from './nav-snapshots.ts';
import { nodeFillCoverageTopic, nodeFillTopic } from './node-fills.ts';
import { nodeReportTopic } from './node-reports.ts';
import {
  backfilledEventTopic,
  backfilledTradeTopic,
  bookTopics,
  contextTopics,
  instrumentTopics,
  marketTopics,
  perpDexTopic,
  positionMoveTopic,
  statusTopics,
  tradeTopics,
} from './normalised.ts';
import { disputeTopic, resolutionTopics } from './oracle.ts';
import { feedTopics, rawTopics } from './raw.ts';
import { requestOutcomeTopic, requestTopic } from './requests.ts';
import { seriesAttemptTopic } from './series-attempts.ts';
import type { Topic } from './topic.ts';
import { keyUseTopic, usageTopic } from './usage.ts';
import { venueSpendingTopic } from './venue-spending.ts';
import { attemptTopic, deliveryTopic, progressTopic } from './webhooks.ts';

/** All topics, in the order in which data flows. */
export const TOPICS: readonly Topic[] = [
  ...rawTopics.values(),
  ...Object.values(feedTopics),
  clockTopic,
  commandTopic,
  changeTopic,
  requestTopic,
  requestOutcomeTopic,
  backfillTopic,
  loadedKlinesTopic,
  earlierOutcomesTopic,
  venueSpendingTopic,
  seriesAttemptTopic,
  usageTopic,
  keyUseTopic,
  nodeReportTopic,
  attemptTopic,
  progressTopic,
  settingsTopic,
  epochTopic,
  schemaTopic,
  ...Object.values(tradeTopics),
  backfilledTradeTopic,
  backfilledEventTopic,
  positionMoveTopic,
  collateralChangeTopic,
  followedBlockTopic,
  ...Object.values(bookTopics),
  ...Object.values(marketTopics),
  ...Object.values(statusTopics),
  ...Object.values(instrumentTopics),
  perpDexTopic,
  ...Object.values(contextTopics),
  disputeTopic,
  ...Object.values(resolutionTopics),
  ...Object.values(venueCandleTopics),
  ...Object.values(venueCandleRangeTopics),
  externalCandleTopic,
  externalCandleRangeTopic,
  spotSampleTopic,
  venueAAcquisitionTopic,
  venueBAcquisitionTopic,
  ...Object.values(failedAcquisitionTopics),
  registeredBuilderTopic,
  builderFillTopic,
  builderDayTopic,
  leaderboardRowTopic,
  leaderboardTopic,
  nodeFillTopic,
  nodeFillCoverageTopic,
  candleTopic,
  candleRangeTopic,
  dailyRowTopic,
  eventTopic,
  reconcileTopic,
  bookHeadTopic,
  spreadHeadTopic,
  spreadTopic,
  arbitrageHeadTopic,
  arbitrageTopic,
  arbitrageSignalTopic,
  anomalyTopic,
  fillPageTopic,
  subscribedFillTopic,
  fillLoadTopic,
  tradeRecordingTopic,
  accountFillTopic,
  ledgerTopic,
  ledgerEventTopic,
  openBookTopic,
  ledgerCheckTopic,
  ledgerChangeTopic,
  accountValueTopic,
  navSnapshotTopic,
  snapshotHeadTopic,
  accountSeriesTopic,
  ...Object.values(accountFlowTopics),
  ...Object.values(flowCoverageTopics),
  auditTopic,
  deliveryTopic,
  ...Object.values(channelTopics),
];
