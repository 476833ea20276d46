import { SettingError } from '../../../config/declare.ts';
import { timeLimit } from '../../../runtime/time-limit.ts';
import type { WatchedCandle, WatchedEvent, WatchedLeg, WatchedMarket, WatchedWallet } from './watched.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const EVENTS_SHOWN = 10;
const EVENTS_MAX = 1_000;
const WALLETS_SHOWN = 3;
const VENUE_A = '/v1/markets/venue_a';

/** A market whose figures are shown: its name on the screen, and the path of its snapshot. */
export interface MarketPath {
  readonly name: string;
  readonly path: string;
}

interface ListedWallet {
  readonly id: string;
  readonly provider: string;
  readonly address: string;
  readonly label: string;
}

interface ListedEvent {
  readonly universalId: string;
  readonly canonicalName: string;
  readonly links: readonly { readonly provider: string; readonly providerMarketId: string }[];
}

/** Reads what the screen shows over REST. Every method rejects with `SettingError` if the service refuses the key. */
export class RestReader {
  private readonly rest: string;
  private readonly token: string;

  constructor(rest: string, token: string) {
    this.rest = rest;
    this.token = token;
  }

  /** The names of open events by their markets: `<provider> <marketId>`. */
  async readNames(): Promise<ReadonlyMap<string, string>> {
    const { events } = await this.read<{ events: ListedEvent[] }>(`/v1/events?status=open&limit=${EVENTS_MAX}`);
    return new Map(
      events.flatMap(({ canonicalName, links }) =>
        links.map(({ provider, providerMarketId }) => [`${provider} ${providerMarketId}`, canonicalName] as const),
      ),
    );
  }

  /** The events with the largest net edges, then others that several providers ask. */
  async readEvents(): Promise<WatchedEvent[]> {
    const [{ records }, { events }] = await Promise.all([
      this.read<{ records: { universalId: string; canonicalName: string; netEdge: number }[] }>(
        `/v1/arbitrage?limit=${2 * EVENTS_SHOWN}`,
      ),
      this.read<{ events: ListedEvent[] }>(`/v1/events?min_providers=2&status=open&limit=${EVENTS_SHOWN}`),
    ]);
    const shown = new Map<string, { readonly name: string; readonly netEdge: number | null }>();
    for (const { universalId, canonicalName: name, netEdge } of records)
      if (!shown.has(universalId)) shown.set(universalId, { name, netEdge });
    for (const { universalId, canonicalName: name } of events)
      if (!shown.has(universalId)) shown.set(universalId, { name, netEdge: null });
    return Promise.all(
      [...shown].slice(0, EVENTS_SHOWN).map(async ([universalId, event]) => {
        const path = `/v1/events/${universalId}/spread`;
        const { legs, fetchedAt } = await this.read<{ legs: WatchedLeg[]; fetchedAt: string }>(path);
        return { ...event, legs, fetchedAt };
      }),
    );
  }

  async readCandles(coin: string): Promise<WatchedCandle[]> {
    const path = `${VENUE_A}/coins/${encodeURIComponent(coin)}/candles?interval=1m&limit=60`;
    return (await this.read<{ candles: WatchedCandle[] }>(path)).candles;
  }

  /** The first spot pair and the first contract of a builder dex, where the venue lists any. */
  async readMarkets(): Promise<MarketPath[]> {
    const [{ pairs }, { dexes }] = await Promise.all([
      this.read<{ pairs: { pair: string }[] }>(`${VENUE_A}/spot/pairs`),
      this.read<{ dexes: { name: string }[] }>(`${VENUE_A}/perp-dex`),
    ]);
    const found = pairs.slice(0, 1).map(({ pair }) => ({
      name: pair,
      path: `${VENUE_A}/spot/pairs/${encodeURIComponent(pair)}`,
    }));
    for (const { name } of dexes) {
      const list = `${VENUE_A}/perp-dex/${encodeURIComponent(name)}/contracts`;
      const [first] = (await this.read<{ contracts: { symbol: string; upstreamCoin: string }[] }>(list)).contracts;
      if (first) return [...found, { name: first.upstreamCoin, path: `${list}/${encodeURIComponent(first.symbol)}` }];
    }
    return found;
  }

  /** The figures of a market; null while it has none. */
  async readMarket({ name, path }: MarketPath): Promise<WatchedMarket | null> {
    const response = await this.request(path);
    // The venue has not sent any figures, or no longer lists the market.
    if (response.status === 502 || response.status === 404) return null;
    const { markPrice, midPrice, dayNotionalVolume } = await bodyOf<Omit<WatchedMarket, 'name'>>(response, path);
    return { name, markPrice, midPrice, dayNotionalVolume };
  }

  /** The first bound wallets, each with its value; null while it cannot be read. */
  async readWallets(): Promise<WatchedWallet[]> {
    const { wallets } = await this.read<{ wallets: ListedWallet[] }>('/v1/me/wallets');
    return Promise.all(
      wallets.slice(0, WALLETS_SHOWN).map(async ({ id, provider, address, label }) => {
        const path = `/v1/me/wallets/${encodeURIComponent(id)}/nav`;
        const response = await this.request(path);
        // The venue cannot be read now, or its limits leave no room; 404 if the wallet has just been removed.
        const isUnknown = response.status === 502 || response.status === 429 || response.status === 404;
        const { navUsdc, asOf } = isUnknown
          ? { navUsdc: null, asOf: null }
          : await bodyOf<Pick<WatchedWallet, 'navUsdc' | 'asOf'>>(response, path);
        return { provider, address, label, navUsdc, asOf };
      }),
    );
  }

  private async read<T>(path: string): Promise<T> {
    return bodyOf<T>(await this.request(path), path);
  }

  private async request(path: string): Promise<Response> {
    const response = await fetch(`${this.rest}${path}`, {
      headers: { authorization: `Bearer ${this.token}` },
      signal: timeLimit(REQUEST_TIMEOUT_MS),
    });
    if (response.status === 401)
      throw new SettingError('--token is unknown to this service; accepted: the admin key that npm start printed');
    return response;
  }
}

async function bodyOf<T>(response: Response, path: string): Promise<T> {
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
