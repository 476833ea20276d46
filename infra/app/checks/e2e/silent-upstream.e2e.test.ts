/** A venue stops sending on open sockets: its markets must become stale, those of the other venue must not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { eventually, get, type Service, startService, temporaryFolder } from './service.ts';
import { openStream, type StreamClient } from './stream-client.ts';
import { upstreams } from './upstreams.ts';

/** Events per second. So few that most markets of a live venue send nothing for half a minute. */
const RATE = 2;
const COINS = ['BTC', 'ETH', 'SOL'];
/** Longer than the 30 s after which a market without liveness becomes stale. */
const SILENCE_MS = 34_000;
const STALE_WITHIN_MS = 30_000;
const LIVE_WITHIN_MS = 30_000;

interface Link {
  readonly provider: string;
  readonly providerMarketId: string;
  readonly polarity: 'same' | 'inverse';
}
interface Leg {
  readonly provider: string;
  readonly marketId: string;
  readonly yesBid: number | null;
  readonly yesAsk: number | null;
}
interface Levels {
  readonly bids: readonly { price: number; size: number }[];
  readonly asks: readonly { price: number; size: number }[];
}

async function post<T>(url: string, body: unknown): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  return (await response.json()) as T;
}

describe('a venue that falls silent', () => {
  const folder = temporaryFolder('parallax-silent');
  let simulator: Simulator;
  let service: Service;
  let stream: StreamClient;
  /** Subscription ids by channel. */
  const ids = new Map<string, unknown>();
  let silentAt = 0;

  beforeAll(async () => {
    simulator = await startSimulator({ seed: 9, rate: RATE, events: 12, coins: COINS.length, faults: [] });
    service = await startService({ dataDir: folder.path, flags: ['--venues', 'live'], env: upstreams(simulator) });
    stream = await openStream(service);
  });
  afterAll(async () => {
    await stream?.close();
    const code = await service?.stop();
    await simulator.close();
    folder.remove();
    expect(code).toBe(0);
  });

  const subscribe = async (channel: string) => ids.set(channel, (await stream.subscribe(channel)).subscription_id);
  /** Status frames of a channel's subscription, optionally since a moment of the service's time. */
  const states = (channel: string, since = 0) =>
    stream.frames
      .filter((frame) => frame.type === 'status' && frame.subscription_id === ids.get(channel))
      .map((frame) => ({ state: String(frame.state), since: Number(frame.since) }))
      .filter((status) => status.since >= since);
  const state = (channel: string) => states(channel).at(-1)?.state;

  const arbitrageOf = async (event: string) =>
    (await get<{ records: object[] }>(service, `/v1/events/${event}/arbitrage`)).records;

  /** Fetches a book from the simulated venue. */
  async function fetchVenueBook(coin: string): Promise<Levels> {
    type Side = readonly { px: string; sz: string }[];
    const { levels } = await post<{ levels: readonly [Side, Side] }>(`${simulator.urls.venueAApiUrl}/info`, {
      type: 'l2Book',
      coin,
    });
    const [bids, asks] = levels.map((side) => side.map(({ px, sz }) => ({ price: Number(px), size: Number(sz) })));
    return { bids: bids!, asks: asks! };
  }

  const silentChannels = () => [...ids.keys()].filter((channel) => !channel.includes(':venue_b:'));
  const livingChannels = () => [...ids.keys()].filter((channel) => channel.includes(':venue_b:'));
  const events: string[] = [];
  /** The silent venue's market of each event. */
  const silentLinks = new Map<string, Link>();

  /** Fetches the best prices of the silent venue's leg over REST. */
  async function fetchServiceLeg(event: string) {
    const { legs } = await get<{ legs: Leg[] }>(service, `/v1/events/${event}/spread`);
    const { yesBid, yesAsk } = legs.find(({ marketId }) => marketId === silentLinks.get(event)!.providerMarketId)!;
    return { yesBid, yesAsk };
  }
  /** Fetches the same prices from the simulated venue. */
  async function fetchVenueLeg(event: string) {
    const { providerMarketId, polarity } = silentLinks.get(event)!;
    const { bids, asks } = await fetchVenueBook(providerMarketId);
    const [bid, ask] = [bids[0]?.price ?? null, asks[0]?.price ?? null];
    const complement = (price: number | null) => (price === null ? null : Number((1 - price).toFixed(10)));
    return polarity === 'same' ? { yesBid: bid, yesAsk: ask } : { yesBid: complement(ask), yesAsk: complement(bid) };
  }

  it('is live while it sends', async () => {
    // Links appear one after another, so the first event with two links may have none of one of the two venues.
    const listed = await eventually(
      async () => {
        const answer = await get<{ events: { universalId: string; links: Link[] }[] }>(service, '/v1/events');
        return answer.events.filter(({ links }) => {
          const providers = links.map(({ provider }) => provider);
          return providers.includes('venue_a_outcome') && providers.includes('venue_b');
        });
      },
      (linked) => linked.length > 1,
    );
    // Soon after a whole hour some have expired and await their result: these are quoted no more.
    const quoted = await eventually(
      async () => {
        const records = await Promise.all(listed.map(({ universalId }) => arbitrageOf(universalId)));
        return listed.filter((_, nth) => records[nth]!.length > 0);
      },
      (found) => found.length > 1,
    );
    events.length = 0;
    for (const { universalId, links } of quoted) {
      events.push(universalId);
      silentLinks.set(universalId, links.find(({ provider }) => provider === 'venue_a_outcome')!);
    }

    for (const coin of COINS) await subscribe(`svc:stream:venue_a_perp:${coin}`);
    for (const event of events) await subscribe(`svc:stream:event:${event}`);
    for (const event of events) await subscribe(`svc:stream:arbitrage:${event}`);
    // Questions expire at whole hours and then have no status, so only those that outlive this test are used.
    const endingAfter = new Date(Date.now() + 10 * 60_000).toISOString();
    const markets = (await (
      await fetch(`${simulator.urls.venueBGammaUrl}/markets?limit=20&closed=false&end_date_min=${endingAfter}`, {
        signal: AbortSignal.timeout(10_000),
      })
    ).json()) as { clobTokenIds: string }[];
    for (const { clobTokenIds } of markets)
      for (const token of JSON.parse(clobTokenIds) as string[]) await subscribe(`svc:stream:venue_b:${token}`);
    expect(livingChannels().length).toBeGreaterThan(4);
    await eventually(
      async () => [...ids.keys()].filter((channel) => state(channel) !== 'live'),
      (others) => others.length === 0,
    );
  }, 60_000);

  it('becomes stale in time, and a quiet market of the live venue does not', async () => {
    silentAt = Date.now();
    await simulator.faults.silence('venue_a.ws', SILENCE_MS);
    await eventually(
      async () =>
        silentChannels().filter((channel) => !states(channel, silentAt).some((status) => status.state === 'stale')),
      (missing) => missing.length === 0,
      STALE_WITHIN_MS,
    );
    for (const channel of silentChannels()) {
      const [first] = states(channel, silentAt);
      expect(first!.state).toBe('stale');
      expect(first!.since - silentAt).toBeLessThan(STALE_WITHIN_MS);
    }
    // Until the silence ends: new sockets are silent too, so the books cannot be restored.
    const quotes = stream.frames.length;
    // REST and the sockets are updated independently.
    for (const event of events)
      await eventually(
        () => arbitrageOf(event),
        ({ length }) => length === 0,
        2_000,
      );
    while (Date.now() < silentAt + SILENCE_MS - 2_000) {
      for (const event of events) expect(await arbitrageOf(event)).toEqual([]);
      expect(silentChannels().map(state)).not.toContain('live');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const arbitrage = (frame: { type: string; channel?: unknown }) =>
      frame.type === 'event' && String(frame.channel).startsWith('svc:stream:arbitrage:');
    expect(stream.frames.slice(quotes).filter(arbitrage)).toEqual([]);

    const quiet = livingChannels().filter((channel) =>
      stream.events(channel).every(({ data }) => data.receivedAt < silentAt),
    );
    expect(quiet.length).toBeGreaterThan(0);
    for (const channel of livingChannels()) expect(states(channel).map((status) => status.state)).toEqual(['live']);
  }, 60_000);

  it('becomes live again with complete books once it sends', async () => {
    await eventually(
      async () => silentChannels().filter((channel) => state(channel) !== 'live'),
      (others) => others.length === 0,
      LIVE_WITHIN_MS,
    );
    for (const channel of silentChannels()) {
      const received = states(channel, silentAt);
      // A market is not live before its book is restored.
      expect(received.at(-2)!.state).toBe('recovering');
      expect(received.at(-1)!.since - silentAt).toBeGreaterThanOrEqual(SILENCE_MS);
    }
    for (const coin of COINS) {
      const books = () =>
        Promise.all([
          get<Levels>(service, `/v1/markets/venue_a/coins/${coin}/orderbook?depth=100`),
          fetchVenueBook(coin),
        ]);
      const [ours, theirs] = await eventually(books, ([a, b]) => JSON.stringify(a.bids) === JSON.stringify(b.bids));
      expect({ bids: ours.bids, asks: ours.asks }).toEqual(theirs);
      expect(theirs.bids.length).toBeGreaterThan(5);
    }
    for (const event of events) {
      await eventually(
        async () => [await fetchServiceLeg(event), await fetchVenueLeg(event)],
        ([ours, theirs]) => JSON.stringify(ours) === JSON.stringify(theirs),
      );
      await eventually(
        () => arbitrageOf(event),
        ({ length }) => length > 0,
      );
    }
  }, 60_000);
});
