/** All routes of the API. A test compares the list with the files of this folder. */

import { getHealth } from './get-health.ts';
import { getProviders } from './get-providers.ts';
import { deleteKey } from './keys/delete-key.ts';
import { getKeys } from './keys/get-keys.ts';
import { postKeys } from './keys/post-keys.ts';
import type { Route } from './route.ts';
import { postAccountsBatch } from './v1/accounts/post-batch.ts';
import { getArbitrageHistory } from './v1/events/arbitrage/get-history.ts';
import { getLadder } from './v1/events/arbitrage/get-ladder.ts';
import { getActivity } from './v1/events/get-activity.ts';
import { getAnomalyHistory } from './v1/events/get-anomaly-history.ts';
import { getArbDecay } from './v1/events/get-arb-decay.ts';
import { getArbitrage } from './v1/events/get-arbitrage.ts';
import { getBoard } from './v1/events/get-board.ts';
import { getEventBooks } from './v1/events/get-books.ts';
import { getEventCandles } from './v1/events/get-candles.ts';
import { getDisputeHistory } from './v1/events/get-dispute-history.ts';
import { getEvents } from './v1/events/get-events.ts';
import { getEventHealth } from './v1/events/get-health.ts';
import { getEventHistory } from './v1/events/get-history.ts';
import { getSettlement } from './v1/events/get-settlement.ts';
import { getSpread } from './v1/events/get-spread.ts';
import { getEventTrades } from './v1/events/get-trades.ts';
import { getSpreadHistory } from './v1/events/spread/get-history.ts';
import { getAllArbitrage } from './v1/get-arbitrage.ts';
import { getPositions } from './v1/get-positions.ts';
import { getSystem } from './v1/get-system.ts';
import { getCoinCandles } from './v1/markets/venue-a/coins/get-candles.ts';
import { getCoin } from './v1/markets/venue-a/coins/get-coin.ts';
import { getCoins } from './v1/markets/venue-a/coins/get-coins.ts';
import { getCoinOrderbook } from './v1/markets/venue-a/coins/get-orderbook.ts';
import { getCoinTrades } from './v1/markets/venue-a/coins/get-trades.ts';
import { getDaily } from './v1/markets/venue-a/get-daily.ts';
import { getLeaderboard } from './v1/markets/venue-a/get-leaderboard.ts';
import { getContractCandles } from './v1/markets/venue-a/perp-dex/contracts/get-candles.ts';
import { getContract } from './v1/markets/venue-a/perp-dex/contracts/get-contract.ts';
import { getContracts } from './v1/markets/venue-a/perp-dex/contracts/get-contracts.ts';
import { getContractOrderbook } from './v1/markets/venue-a/perp-dex/contracts/get-orderbook.ts';
import { getContractTrades } from './v1/markets/venue-a/perp-dex/contracts/get-trades.ts';
import { getPerpDexes } from './v1/markets/venue-a/perp-dex/get-perp-dex.ts';
import { getPairCandles } from './v1/markets/venue-a/spot/pairs/get-candles.ts';
import { getPairOrderbook } from './v1/markets/venue-a/spot/pairs/get-orderbook.ts';
import { getPair } from './v1/markets/venue-a/spot/pairs/get-pair.ts';
import { getPairs } from './v1/markets/venue-a/spot/pairs/get-pairs.ts';
import { getPairTrades } from './v1/markets/venue-a/spot/pairs/get-trades.ts';
import { getBackfill } from './v1/me/backfills/get-backfill.ts';
import { getAnomalyFeed } from './v1/me/get-anomaly-feed.ts';
import { getAuditLog } from './v1/me/get-audit-log.ts';
import { getFills } from './v1/me/get-fills.ts';
import { getPlatformVolume } from './v1/me/get-platform-volume.ts';
import { getPnl } from './v1/me/get-pnl.ts';
import { getQuotas } from './v1/me/get-quotas.ts';
import { getStats } from './v1/me/get-stats.ts';
import { getStream } from './v1/me/get-stream.ts';
import { getUsage } from './v1/me/get-usage.ts';
import { deletePlatformAttribution } from './v1/me/platform-attributions/delete-platform-attribution.ts';
import { getPlatformAttributions } from './v1/me/platform-attributions/get-platform-attributions.ts';
import { postPlatformAttributions } from './v1/me/platform-attributions/post-platform-attributions.ts';
import { getPnlCurve } from './v1/me/pnl/get-curve.ts';
import { getPnlExplain } from './v1/me/pnl/get-explain.ts';
import { deleteWallet } from './v1/me/wallets/delete-wallet.ts';
import { getWalletNav } from './v1/me/wallets/get-nav.ts';
import { getWalletNavCurve } from './v1/me/wallets/get-nav-curve.ts';
import { getWalletPnlCurve } from './v1/me/wallets/get-pnl-curve.ts';
import { getWalletRoi } from './v1/me/wallets/get-roi.ts';
import { getWallets } from './v1/me/wallets/get-wallets.ts';
import { getWalletsNav } from './v1/me/wallets/get-wallets-nav.ts';
import { getWalletsNavCurve } from './v1/me/wallets/get-wallets-nav-curve.ts';
import { getWalletsPnlCurve } from './v1/me/wallets/get-wallets-pnl-curve.ts';
import { postHistoryBackfill } from './v1/me/wallets/post-history-backfill.ts';
import { postWallets } from './v1/me/wallets/post-wallets.ts';
import { deleteOrganization } from './v1/organizations/delete-organization.ts';
import { getOrganizations } from './v1/organizations/get-organizations.ts';
import { patchOrganization } from './v1/organizations/patch-organization.ts';
import { postOrganizations } from './v1/organizations/post-organizations.ts';
import { getLegacyPortfolio } from './v1/portfolio/get-legacy.ts';
import { getPortfolioNav } from './v1/portfolio/get-nav.ts';
import { getPerformance } from './v1/portfolio/get-performance.ts';
import { getPortfolioPnl } from './v1/portfolio/get-pnl.ts';
import { getPortfolio } from './v1/portfolio/get-portfolio.ts';
import { postHeadsBatch } from './v1/portfolio/performance/heads/post-batch.ts';
import { postRefresh } from './v1/portfolio/post-refresh.ts';
import { deleteSession } from './v1/session/delete-session.ts';
import { getSession } from './v1/session/get-session.ts';
import { postSession } from './v1/session/post-session.ts';
import { getClearinghouseState } from './v1/venue-a/info/get-clearinghouse-state.ts';
import { getHistoricalOrders } from './v1/venue-a/info/get-historical-orders.ts';
import { getMeta } from './v1/venue-a/info/get-meta.ts';
import { getOpenOrders } from './v1/venue-a/info/get-open-orders.ts';
import { getPerpDexs } from './v1/venue-a/info/get-perp-dexs.ts';
import { getSpotClearinghouseState } from './v1/venue-a/info/get-spot-clearinghouse-state.ts';
import { getSpotMeta } from './v1/venue-a/info/get-spot-meta.ts';
import { getUserFills } from './v1/venue-a/info/get-user-fills.ts';
import { deleteWebhook } from './v1/webhooks/delete-webhook.ts';
import { getDeliveries } from './v1/webhooks/deliveries/get-deliveries.ts';
import { getDelivery } from './v1/webhooks/deliveries/get-delivery.ts';
import { postRedeliver } from './v1/webhooks/deliveries/post-redeliver.ts';
import { getEventCatalog } from './v1/webhooks/get-event-catalog.ts';
import { getWebhook } from './v1/webhooks/get-webhook.ts';
import { getWebhooks } from './v1/webhooks/get-webhooks.ts';
import { patchWebhook } from './v1/webhooks/patch-webhook.ts';
import { postRecover } from './v1/webhooks/post-recover.ts';
import { postSecret } from './v1/webhooks/post-secret.ts';
import { postTest } from './v1/webhooks/post-test.ts';
import { postWebhooks } from './v1/webhooks/post-webhooks.ts';

export const ROUTES: readonly Route[] = [
  getHealth,
  getProviders,
  getEvents,
  getBoard,
  getActivity,
  getSpread,
  getSpreadHistory,
  getEventHealth,
  getEventHistory,
  getEventBooks,
  getArbitrage,
  getArbitrageHistory,
  getLadder,
  getAllArbitrage,
  getArbDecay,
  getEventTrades,
  getEventCandles,
  getAnomalyHistory,
  getDisputeHistory,
  getSettlement,
  getCoins,
  getCoin,
  getCoinOrderbook,
  getCoinTrades,
  getCoinCandles,
  getPairs,
  getPair,
  getPairOrderbook,
  getPairTrades,
  getPairCandles,
  getPerpDexes,
  getContracts,
  getContract,
  getContractOrderbook,
  getContractTrades,
  getContractCandles,
  getDaily,
  getLeaderboard,
  getClearinghouseState,
  getSpotClearinghouseState,
  getOpenOrders,
  getHistoricalOrders,
  getUserFills,
  getMeta,
  getSpotMeta,
  getPerpDexs,
  postKeys,
  getKeys,
  deleteKey,
  postSession,
  getSession,
  deleteSession,
  postOrganizations,
  getOrganizations,
  patchOrganization,
  deleteOrganization,
  postWallets,
  getWallets,
  deleteWallet,
  postHistoryBackfill,
  getBackfill,
  getPositions,
  getWalletPnlCurve,
  getWalletsPnlCurve,
  getWalletNavCurve,
  getWalletsNavCurve,
  getWalletRoi,
  getWalletNav,
  getWalletsNav,
  getPortfolio,
  getPerformance,
  postHeadsBatch,
  postRefresh,
  getLegacyPortfolio,
  getPortfolioNav,
  getPortfolioPnl,
  postAccountsBatch,
  postPlatformAttributions,
  getPlatformAttributions,
  deletePlatformAttribution,
  getAnomalyFeed,
  getAuditLog,
  getFills,
  getPnl,
  getPlatformVolume,
  getStats,
  getPnlCurve,
  getPnlExplain,
  getUsage,
  getStream,
  getQuotas,
  getEventCatalog,
  postWebhooks,
  getWebhooks,
  getWebhook,
  patchWebhook,
  deleteWebhook,
  postTest,
  postSecret,
  getDeliveries,
  getDelivery,
  postRedeliver,
  postRecover,
  getSystem,
];
