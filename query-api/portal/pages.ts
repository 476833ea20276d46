/** The pages of the portal. A page is a file in `pages/` and a line here; navigation, keys and titles follow. */
import type { ComponentType } from 'preact';

/** What a page gets: the parts of its path that its pattern names. */
export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

export interface PageDeclaration {
  /** `data-page` of its main element. */
  readonly name: string;
  /** Path below /portal, with `:name` for a part of any text. */
  readonly path: string;
  readonly title: string;
  /** Heading in the navigation; pages without one are opened from another page. */
  readonly group?: 'Markets' | 'Organization' | 'Service';
  /** The key that opens it after `g`. */
  readonly key?: string;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

export const PAGES: readonly PageDeclaration[] = [
  {
    name: 'overview',
    path: '/',
    title: 'Overview',
    group: 'Markets',
    key: 'o',
    load: () => import('./pages/overview.tsx'),
  },
  {
    name: 'events',
    path: '/events',
    title: 'Events',
    group: 'Markets',
    key: 'e',
    load: () => import('./pages/events.tsx'),
  },
  { name: 'event', path: '/events/:universalId', title: 'Event', load: () => import('./pages/event.tsx') },
  {
    name: 'markets',
    path: '/markets',
    title: 'Markets',
    group: 'Markets',
    key: 'm',
    load: () => import('./pages/markets.tsx'),
  },
  { name: 'market', path: '/markets/perp/:coin', title: 'Market', load: () => import('./pages/market.tsx') },
  { name: 'market', path: '/markets/spot/:pair', title: 'Market', load: () => import('./pages/market.tsx') },
  { name: 'market', path: '/markets/dex/:dex/:symbol', title: 'Market', load: () => import('./pages/market.tsx') },
  {
    name: 'leaderboard',
    path: '/leaderboard',
    title: 'Leaderboard',
    group: 'Markets',
    key: 'l',
    load: () => import('./pages/leaderboard.tsx'),
  },
  {
    name: 'anomalies',
    path: '/anomalies',
    title: 'Anomalies',
    group: 'Markets',
    key: 'a',
    load: () => import('./pages/anomalies.tsx'),
  },
  {
    name: 'wallets',
    path: '/wallets',
    title: 'Wallets',
    group: 'Organization',
    key: 'w',
    load: () => import('./pages/wallets.tsx'),
  },
  { name: 'wallet', path: '/wallets/:id', title: 'Wallet', load: () => import('./pages/wallet.tsx') },
  {
    name: 'pnl',
    path: '/pnl',
    title: 'Profit and loss',
    group: 'Organization',
    key: 'p',
    load: () => import('./pages/pnl.tsx'),
  },
  {
    name: 'keys',
    path: '/keys',
    title: 'Keys',
    group: 'Organization',
    key: 'k',
    load: () => import('./pages/keys.tsx'),
  },
  {
    name: 'webhooks',
    path: '/webhooks',
    title: 'Webhooks',
    group: 'Organization',
    key: 'h',
    load: () => import('./pages/webhooks.tsx'),
  },
  { name: 'webhook', path: '/webhooks/:id', title: 'Webhook', load: () => import('./pages/webhook.tsx') },
  {
    name: 'delivery',
    path: '/webhooks/:id/deliveries/:deliveryId',
    title: 'Delivery',
    load: () => import('./pages/delivery.tsx'),
  },
  { name: 'usage', path: '/usage', title: 'Usage', group: 'Organization', load: () => import('./pages/usage.tsx') },
  { name: 'audit', path: '/audit', title: 'Audit log', group: 'Organization', load: () => import('./pages/audit.tsx') },
  {
    name: 'organizations',
    path: '/organizations',
    title: 'Organizations',
    group: 'Organization',
    load: () => import('./pages/organizations.tsx'),
  },
  {
    name: 'stream',
    path: '/stream',
    title: 'Stream',
    group: 'Service',
    key: 's',
    load: () => import('./pages/stream.tsx'),
  },
  {
    name: 'system',
    path: '/system',
    title: 'System',
    group: 'Service',
    key: 'y',
    load: () => import('./pages/system.tsx'),
  },
];

export interface FoundPage extends PageProps {
  readonly page: PageDeclaration;
}

/** The page of a path; null if there is none. */
export function findPage(path: string, pages: readonly PageDeclaration[] = PAGES): FoundPage | null {
  for (const page of pages) {
    const params = matchPath(`/portal${page.path}`, path);
    if (params) return { page, params };
  }
  return null;
}

function matchPath(pattern: string, path: string): Record<string, string> | null {
  const [wanted, parts] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, want] of wanted.entries()) {
    const part = parts[index]!;
    if (want.startsWith(':') && part !== '') {
      try {
        params[want.slice(1)] = decodeURIComponent(part);
      } catch {
        return null;
      }
    } else if (want !== part) return null;
  }
  return params;
}
