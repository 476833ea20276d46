/** The API's table of contents: every route there is. A check compares it with the folder. */

import { getHealth } from './get-health.ts';
import { getProviders } from './get-providers.ts';
import { deleteKey } from './keys/delete-key.ts';
import { getKeys } from './keys/get-keys.ts';
import { postKeys } from './keys/post-keys.ts';
import type { Route } from './route.ts';
import { getArbitrage } from './v1/events/get-arbitrage.ts';
import { getEvents } from './v1/events/get-events.ts';
import { getSpread } from './v1/events/get-spread.ts';
import { getEventTrades } from './v1/events/get-trades.ts';
import { getCandles } from './v1/markets/venue-a/coins/get-candles.ts';
import { getCoin } from './v1/markets/venue-a/coins/get-coin.ts';
import { getCoins } from './v1/markets/venue-a/coins/get-coins.ts';
import { getOrderbook } from './v1/markets/venue-a/coins/get-orderbook.ts';
import { getCoinTrades } from './v1/markets/venue-a/coins/get-trades.ts';
import { getAuditLog } from './v1/me/get-audit-log.ts';
import { getUsage } from './v1/me/get-usage.ts';
import { deletePlatformAttribution } from './v1/me/platform-attributions/delete-platform-attribution.ts';
import { getPlatformAttributions } from './v1/me/platform-attributions/get-platform-attributions.ts';
import { postPlatformAttributions } from './v1/me/platform-attributions/post-platform-attributions.ts';
import { deleteWallet } from './v1/me/wallets/delete-wallet.ts';
import { getWallets } from './v1/me/wallets/get-wallets.ts';
import { postWallets } from './v1/me/wallets/post-wallets.ts';
import { deleteOrganization } from './v1/organizations/delete-organization.ts';
import { getOrganizations } from './v1/organizations/get-organizations.ts';
import { patchOrganization } from './v1/organizations/patch-organization.ts';
import { postOrganizations } from './v1/organizations/post-organizations.ts';
import { deleteSession } from './v1/session/delete-session.ts';
import { getSession } from './v1/session/get-session.ts';
import { postSession } from './v1/session/post-session.ts';

export const ROUTES: readonly Route[] = [
  getHealth,
  getProviders,
  getEvents,
  getSpread,
  getArbitrage,
  getEventTrades,
  getCoins,
  getCoin,
  getOrderbook,
  getCoinTrades,
  getCandles,
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
  postPlatformAttributions,
  getPlatformAttributions,
  deletePlatformAttribution,
  getAuditLog,
  getUsage,
];
