import {
  CHAIN_EVENTS,
  CONDITIONAL_TOKENS,
  EXCHANGES,
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
} = CHAIN_EVENTS;

/**
 * Filters of the logs that are published, one request each: logs of the venue's own contracts, and oracle logs about
 * requests of the venue's adapters. The oracle serves other applications too, whose logs the node leaves out.
 */
export const CHAIN_LOG_FILTERS: readonly PositionFilter[] = [
  {
    addresses: [...Object.values(EXCHANGES), CONDITIONAL_TOKENS, ...Object.values(NEG_RISK_OPERATORS)],
    topics: [[orderFilledV1, orderFilledV2, ordersMatchedV1, ordersMatchedV2, conditionResolution, questionPrepared]],
  },
  {
    addresses: Object.values(ORACLES),
    topics: [
      [proposePrice, disputePrice, settle],
      [...Object.values(STANDARD_ADAPTERS), ...Object.values(NEG_RISK_ADAPTERS)].map(accountTopic),
    ],
  },
];
