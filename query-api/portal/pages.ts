/** The pages of the portal. A page is a line here, its code one in `load-page.ts`; navigation, keys and titles follow. */

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
}

const DECLARED = [
  {
    name: 'overview',
    path: '/',
    title: 'Overview',
    group: 'Markets',
    key: 'o',
  },
  {
    name: 'events',
    path: '/events',
    title: 'Events',
    group: 'Markets',
    key: 'e',
  },
  { name: 'event', path: '/events/:universalId', title: 'Event' },
  {
    name: 'markets',
    path: '/markets',
    title: 'Markets',
    group: 'Markets',
    key: 'm',
  },
  { name: 'market', path: '/markets/perp/:coin', title: 'Market' },
  { name: 'market', path: '/markets/spot/:pair', title: 'Market' },
  { name: 'market', path: '/markets/dex/:dex/:symbol', title: 'Market' },
  {
    name: 'leaderboard',
    path: '/leaderboard',
    title: 'Leaderboard',
    group: 'Markets',
    key: 'l',
  },
  {
    name: 'anomalies',
    path: '/anomalies',
    title: 'Anomalies',
    group: 'Markets',
    key: 'a',
  },
  {
    name: 'wallets',
    path: '/wallets',
    title: 'Wallets',
    group: 'Organization',
    key: 'w',
  },
  { name: 'wallet', path: '/wallets/:id', title: 'Wallet' },
  {
    name: 'pnl',
    path: '/pnl',
    title: 'Profit and loss',
    group: 'Organization',
    key: 'p',
  },
  {
    name: 'competition',
    path: '/competition',
    title: 'Competition',
    group: 'Organization',
    key: 'c',
  },
  {
    name: 'keys',
    path: '/keys',
    title: 'Keys',
    group: 'Organization',
    key: 'k',
  },
  {
    name: 'webhooks',
    path: '/webhooks',
    title: 'Webhooks',
    group: 'Organization',
    key: 'h',
  },
  { name: 'webhook', path: '/webhooks/:id', title: 'Webhook' },
  {
    name: 'delivery',
    path: '/webhooks/:id/deliveries/:deliveryId',
    title: 'Delivery',
  },
  { name: 'usage', path: '/usage', title: 'Usage', group: 'Organization' },
  { name: 'audit', path: '/audit', title: 'Audit log', group: 'Organization' },
  {
    name: 'organizations',
    path: '/organizations',
    title: 'Organizations',
    group: 'Organization',
  },
  {
    name: 'stream',
    path: '/stream',
    title: 'Stream',
    group: 'Service',
    key: 's',
  },
  {
    name: 'system',
    path: '/system',
    title: 'System',
    group: 'Service',
    key: 'y',
  },
] as const satisfies readonly PageDeclaration[];

export type PageName = (typeof DECLARED)[number]['name'];

export const PAGES: readonly (PageDeclaration & { readonly name: PageName })[] = DECLARED;

export interface FoundPage extends PageProps {
  readonly page: PageDeclaration & { readonly name: PageName };
}

/** The page of a path; null if there is none. */
export function findPage(path: string): FoundPage | null {
  for (const page of PAGES) {
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
