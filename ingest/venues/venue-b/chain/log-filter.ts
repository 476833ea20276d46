import { CHAIN_EVENTS, CONDITIONAL_TOKENS, EXCHANGES } from '#schemas/venues/venue-b/contracts';

/** The logs that are kept. One call takes all: any of these addresses with any of these topics. */
export const CHAIN_FILTER = {
  addresses: [...Object.values(EXCHANGES), CONDITIONAL_TOKENS],
  topics: Object.values(CHAIN_EVENTS),
} as const;
