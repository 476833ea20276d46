import { SettingError } from '../../../config/declare.ts';
import type { WatchedCandle, WatchedEvent, WatchedLeg } from './watched.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const EVENTS_SHOWN = 10;
const EVENTS_MAX = 1_000;

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
        const { legs } = await this.read<{ legs: WatchedLeg[] }>(`/v1/events/${universalId}/spread`);
        return { ...event, legs };
      }),
    );
  }

  async readCandles(coin: string): Promise<WatchedCandle[]> {
    const path = `/v1/markets/venue_a/coins/${encodeURIComponent(coin)}/candles?interval=1m&limit=60`;
    return (await this.read<{ candles: WatchedCandle[] }>(path)).candles;
  }

  private async read<T>(path: string): Promise<T> {
    const response = await fetch(`${this.rest}${path}`, {
      headers: { authorization: `Bearer ${this.token}` },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.status === 401)
      throw new SettingError('--token is unknown to this service; accepted: the admin key that npm start printed');
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
