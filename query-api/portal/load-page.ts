/** The code of each page, which is loaded when the page is opened first. */
import type { ComponentType } from 'preact';
import type { PageName, PageProps } from './pages.ts';

type Load = () => Promise<{ readonly default: ComponentType<PageProps> }>;

export const LOAD_PAGE: Readonly<Record<PageName, Load>> = {
  overview: () => import('./pages/overview.tsx'),
  events: () => import('./pages/events.tsx'),
  event: () => import('./pages/event.tsx'),
  markets: () => import('./pages/markets.tsx'),
  market: () => import('./pages/market.tsx'),
  leaderboard: () => import('./pages/leaderboard.tsx'),
  anomalies: () => import('./pages/anomalies.tsx'),
  wallets: () => import('./pages/wallets.tsx'),
  wallet: () => import('./pages/wallet.tsx'),
  pnl: () => import('./pages/pnl.tsx'),
  competition: () => import('./pages/competition.tsx'),
  keys: () => import('./pages/keys.tsx'),
  webhooks: () => import('./pages/webhooks.tsx'),
  webhook: () => import('./pages/webhook.tsx'),
  delivery: () => import('./pages/delivery.tsx'),
  usage: () => import('./pages/usage.tsx'),
  audit: () => import('./pages/audit.tsx'),
  organizations: () => import('./pages/organizations.tsx'),
  stream: () => import('./pages/stream.tsx'),
  system: () => import('./pages/system.tsx'),
};
