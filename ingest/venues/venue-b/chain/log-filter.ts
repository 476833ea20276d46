import {
  CHAIN_EVENTS,
  COLLATERAL_ADAPTERS,
  CONDITIONAL_TOKENS,
  EXCHANGES,
  NEG_RISK_ADAPTER,
  NEG_RISK_ADAPTERS,
  NEG_RISK_OPERATORS,
  ORACLES,
  STANDARD_ADAPTERS,
} from '#schemas/venues/venue-b/contracts';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import type { PositionFilter } from './chain-rpc.ts';

const {
  orderFilledV1,
  orderFilledV2,
  ordersMatchedV1,
  ordersMatchedV2,
  conditionResolution,
  questionPrepared,
  proposePrice,
  disputePrice,
  settle,
  positionSplit,
  positionsMerge,
  negRiskSplit,
  negRiskMerge,
  positionsConverted,
  transferSingle,
  transferBatch,
} = CHAIN_EVENTS;

/**
 * Filters of the logs that are published, one request each: logs of the venue's own contracts, oracle logs about requests
 * of the venue's adapters, and the outcome tokens that adapters of the venue send and receive, which show for whom they
 * split, merge and convert. The oracle serves other applications too, whose logs the node leaves out.
 */
export const CHAIN_LOG_FILTERS: readonly PositionFilter[] = [
  {
    addresses: [
      ...Object.values(EXCHANGES),
      CONDITIONAL_TOKENS,
      ...Object.values(NEG_RISK_OPERATORS),
      NEG_RISK_ADAPTER,
    ],
    topics: [
      [
        orderFilledV1,
        orderFilledV2,
        ordersMatchedV1,
        ordersMatchedV2,
        conditionResolution,
        questionPrepared,
        positionSplit,
        positionsMerge,
        negRiskSplit,
        negRiskMerge,
        positionsConverted,
      ],
    ],
  },
  {
    addresses: Object.values(ORACLES),
    topics: [
      [proposePrice, disputePrice, settle],
      [...Object.values(STANDARD_ADAPTERS), ...Object.values(NEG_RISK_ADAPTERS)].map(accountTopic),
    ],
  },
  {
    addresses: [CONDITIONAL_TOKENS],
    topics: [[transferSingle, transferBatch], null, [...COLLATERAL_ADAPTERS, NEG_RISK_ADAPTER].map(accountTopic)],
  },
  {
    addresses: [CONDITIONAL_TOKENS],
    topics: [[transferSingle, transferBatch], null, null, COLLATERAL_ADAPTERS.map(accountTopic)],
  },
];
