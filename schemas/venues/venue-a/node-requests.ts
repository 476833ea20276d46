/** The feed of what a self-hosted node answers. */
export const NODE_FEED = 'venue_a.node';

/** Types of `info` requests that a self-hosted node answers (venue page, section 10). */
export const NODE_REQUESTS: ReadonlySet<unknown> = new Set([
  'meta',
  'spotMeta',
  'clearinghouseState',
  'spotClearinghouseState',
  'openOrders',
  'frontendOpenOrders',
  'exchangeStatus',
  'liquidatable',
  'activeAssetData',
  'maxMarketOrderNtls',
  'vaultSummaries',
  'userVaultEquities',
  'leadingVaults',
  'extraAgents',
  'subAccounts',
  'userFees',
  'userRateLimit',
  'spotDeployState',
  'perpDeployAuctionStatus',
  'delegations',
  'delegatorSummary',
  'maxBuilderFee',
  'userToMultiSigSigners',
  'userRole',
  'perpsAtOpenInterestCap',
  'validatorL1Votes',
  'marginTable',
  'perpDexs',
]);
