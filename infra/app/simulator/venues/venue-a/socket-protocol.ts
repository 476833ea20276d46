import type { HubClient, HubProtocol, SocketHub } from '../../sockets/socket-hub.ts';
import { isListed } from '../../world/ladder-board.ts';
import type { World } from '../../world/world.ts';
import type { Accounts } from './accounts.ts';
import { formingBar, isInterval } from './candles.ts';
import { delistedContextText, perpContextText, spotContextText } from './contexts.ts';
import { dexContextsFrame, type FramePublisher, topicOf } from './feed.ts';
import { allContextsText, bookAnswer, type InfoAnswer, midsText, recentTradesText, spotContextsText } from './info.ts';
import { LIMITS, type VenueLimits } from './limits.ts';
import type { Markets } from './market.ts';
import { frameText } from './market-text.ts';

/** A valid subscription. */
interface Subscription {
  readonly topic: string;
  /** The subscription in the acknowledgement: the request with defaults filled in. */
  readonly echo: Readonly<Record<string, unknown>>;
  /** The user of a user channel. */
  readonly user?: string;
  /** The frame that is sent immediately; null for none. */
  readonly first: (atMs: number) => string | null;
}

/** Why a subscription is refused: its type is unknown (`unreadable`), or a parameter is (`invalid`). */
type Refusal = 'unreadable' | 'invalid';
type Json = Readonly<Record<string, unknown>>;

/** Most concurrent post requests of one connection (venue page, section 8). */
const MAX_POSTS = 100;

export interface VenueASocket extends HubProtocol {
  readonly publisher: FramePublisher;
  /** Number of subscriptions of all clients. */
  subscriptions(): number;
}

/**
 * Creates venue_a's WebSocket protocol (venue page, section 7). `hub` is a function, since the hub is created later.
 */
export function createVenueASocket(
  world: World,
  markets: Markets,
  info: (body: unknown, atMs: number) => Promise<InfoAnswer>,
  now: () => number,
  hub: () => SocketHub,
  { limits, accounts }: { readonly limits: VenueLimits; readonly accounts: Pick<Accounts, 'userFills'> },
): VenueASocket {
  const listeners = new Map<string, Set<HubClient>>();
  const topicsByClient = new Map<HubClient, Set<string>>();
  const posts = new Map<HubClient, number>();
  const intervals = new Map<string, Map<string, number>>();
  /** Number of subscriptions by user. */
  const users = new Map<string, number>();

  const readers: Readonly<Record<string, (request: Json, coin: string) => Subscription | Refusal>> = {
    allMids(request) {
      const dex = typeof request.dex === 'string' ? request.dex : '';
      if (!world.ladders.dexNames(now()).includes(dex)) return 'invalid';
      const key = dex === '' ? '' : `,"dex":"${dex}"`;
      const first = (at: number) => frameText('allMids', `{"mids":${midsText(markets, dex, at)}${key}}`);
      return { topic: topicOf.mids(dex), echo: request, first };
    },
    l2Book(request, coin) {
      const isRaw = (request.nSigFigs ?? null) === null;
      const plain = request.fast === true ? topicOf.fastBook(coin) : topicOf.book(coin);
      const topic = isRaw ? plain : `l2Book ${coin} ${request.nSigFigs} ${request.mantissa ?? ''}`;
      const first = (at: number) => {
        const text = bookAnswer(markets, request, at);
        return text && frameText('l2Book', text);
      };
      if (first(now()) === null) return 'invalid';
      return {
        topic,
        echo: { ...request, nSigFigs: request.nSigFigs ?? null, mantissa: request.mantissa ?? null },
        first,
      };
    },
    trades: (request, coin) => ({
      topic: topicOf.trades(coin),
      echo: request,
      first(at) {
        const text = recentTradesText(world, markets, { coin, atMs: at, order: 'oldest first' });
        return text && text !== '[]' ? frameText('trades', text) : null;
      },
    }),
    bbo: (request, coin) => ({
      topic: topicOf.bbo(coin),
      echo: request,
      first(at) {
        const market = markets.find(coin, at);
        if (!market) return frameText('bbo', `{"coin":"${coin}","time":${at},"bbo":[null,null]}`);
        const { book, timeMs } = markets.bookAt(market, at);
        return frameText('bbo', markets.writer.bbo(market, timeMs, book));
      },
    }),
    activeAssetCtx(request, coin) {
      const ladder = world.ladders.find(coin, now());
      if (!ladder) return 'invalid';
      const isSpot = ladder.kind === 'spot';
      const text = isSpot ? spotContextText : perpContextText;
      const channel = isSpot ? 'activeSpotAssetCtx' : 'activeAssetCtx';
      const first = (at: number) => {
        const ctx = isListed(ladder, at) ? text(world, markets, ladder, at) : delistedContextText(world, ladder);
        return frameText(channel, `{"coin":"${coin}","ctx":${ctx}}`);
      };
      return { topic: topicOf.context(coin), echo: request, first };
    },
    candle(request, coin) {
      const { interval } = request;
      if (!isInterval(interval)) return 'invalid';
      const first = (at: number) => {
        const market = markets.find(coin, at);
        const bar = market && formingBar(markets, market, interval, at);
        return bar && !bar.isEmpty ? frameText('candle', bar.text(bar.close)) : null;
      };
      return { topic: topicOf.candle(coin, interval), echo: request, first };
    },
    assetCtxs(request) {
      const dex = typeof request.dex === 'string' ? request.dex : '';
      if (!world.ladders.dexNames(now()).includes(dex)) return 'invalid';
      const first = (at: number) => dexContextsFrame(world, markets, dex, at);
      return { topic: topicOf.dexContexts(dex), echo: request, first };
    },
    allDexsAssetCtxs: (request) => ({
      topic: topicOf.allContexts,
      echo: request,
      first: (at) => frameText('allDexsAssetCtxs', allContextsText(world, markets, at)),
    }),
    spotAssetCtxs: (request) => ({
      topic: topicOf.spotContexts,
      echo: request,
      first: (at) => frameText('spotAssetCtxs', spotContextsText(world, markets, at)),
    }),
    outcomeMetaUpdates: (request) => ({ topic: topicOf.outcomes, echo: request, first: () => null }),
    userFills(request) {
      const user = typeof request.user === 'string' ? request.user.toLowerCase() : null;
      const fills = accounts.userFills(user, now());
      if (user === null || fills === null) return 'invalid';
      const first = () => frameText('userFills', JSON.stringify({ user, fills, isSnapshot: true }));
      return { topic: topicOf.fills(user), echo: { ...request, aggregateByTime: false }, user, first };
    },
  };
  const WITHOUT_COIN = new Set([
    'allMids',
    'assetCtxs',
    'allDexsAssetCtxs',
    'spotAssetCtxs',
    'outcomeMetaUpdates',
    'userFills',
  ]);

  /** Reads a subscription. One that has ended is not checked for its coin, which may be unknown by then. */
  const read = (request: unknown, method: unknown): Subscription | Refusal => {
    const fields = (typeof request === 'object' && request !== null ? request : {}) as Json;
    const { type, coin } = fields;
    if (typeof type !== 'string' || !Object.hasOwn(readers, type)) return 'unreadable';
    if (WITHOUT_COIN.has(type)) return readers[type]!(fields, '');
    if (typeof coin !== 'string') return 'unreadable';
    if (method === 'subscribe' && !markets.isKnown(coin, now())) return 'invalid';
    return readers[type]!(fields, coin);
  };

  const countInterval = (topic: string, by: 1 | -1) => {
    const [channel, coin = '', interval = ''] = topic.split(' ');
    if (channel !== 'candle') return;
    const ofCoin = intervals.get(coin) ?? new Map<string, number>();
    ofCoin.set(interval, (ofCoin.get(interval) ?? 0) + by);
    if (ofCoin.get(interval) === 0) ofCoin.delete(interval);
    intervals.set(coin, ofCoin);
  };
  const countUser = (topic: string, by: 1 | -1) => {
    const [channel, user = ''] = topic.split(' ');
    if (channel !== 'userFills') return;
    const count = (users.get(user) ?? 0) + by;
    if (count === 0) users.delete(user);
    else users.set(user, count);
  };
  const drop = (client: HubClient, topic: string) => {
    const set = listeners.get(topic);
    set?.delete(client);
    if (set?.size === 0) listeners.delete(topic);
    countInterval(topic, -1);
    countUser(topic, -1);
  };

  const countSubscriptions = () => [...topicsByClient.values()].reduce((sum, topics) => sum + topics.size, 0);
  const sendError = (client: HubClient, text: string) => client.send(frameText('error', JSON.stringify(text)));
  const acknowledge = (client: HubClient, method: string, echo: Json) =>
    client.send(frameText('subscriptionResponse', JSON.stringify({ method, subscription: echo })));

  const subscribe = (client: HubClient, subscription: Subscription, request: unknown) => {
    const own = topicsByClient.get(client) ?? new Set<string>();
    topicsByClient.set(client, own);
    if (own.has(subscription.topic)) return sendError(client, `Already subscribed: ${JSON.stringify(request)}`);
    if (!limits.acceptSubscription(countSubscriptions()))
      return sendError(client, `Too many subscriptions: ${JSON.stringify(request)}`);
    const { user } = subscription;
    if (user !== undefined && !limits.acceptUser(new Set([...users.keys(), user]).size))
      return sendError(client, `Cannot track more than ${LIMITS.users} total users.`);
    own.add(subscription.topic);
    const set = listeners.get(subscription.topic) ?? new Set<HubClient>();
    listeners.set(subscription.topic, set.add(client));
    countInterval(subscription.topic, 1);
    countUser(subscription.topic, 1);
    acknowledge(client, 'subscribe', subscription.echo);
    const first = subscription.first(now());
    if (first) client.send(first);
  };
  const unsubscribe = (client: HubClient, subscription: Subscription, request: unknown) => {
    if (!topicsByClient.get(client)?.delete(subscription.topic)) {
      return sendError(client, `Already unsubscribed: ${JSON.stringify(request)}`);
    }
    drop(client, subscription.topic);
    acknowledge(client, 'unsubscribe', subscription.echo);
  };

  const post = (client: HubClient, { id, request }: Json) => {
    const { type, payload } = (request ?? {}) as Json;
    const running = posts.get(client) ?? 0;
    if (running >= MAX_POSTS) return sendError(client, `too many pending post requests id=${id}`);
    const respond = (response: string) =>
      client.send(frameText('post', `{"id":${JSON.stringify(id)},"response":${response}}`));
    if (type !== 'info') return respond('{"type":"error","payload":"Unsupported request"}');
    posts.set(client, running + 1);
    const failed = (text: string) => respond(`{"type":"error","payload":${JSON.stringify(text)}}`);
    info(payload, now())
      .then(({ status, text }) => {
        const name = JSON.stringify((payload as Json).type);
        if (status === 200) respond(`{"type":"info","payload":{"type":${name},"data":${text}}}`);
        else failed(text);
      })
      .catch((error: unknown) => failed(String(error)))
      .finally(() => {
        posts.set(client, (posts.get(client) ?? 1) - 1);
        hub().flush();
      });
  };

  const publisher: FramePublisher = {
    wants: (topic) => listeners.has(topic),
    publish(topic, text) {
      const clients = listeners.get(topic);
      if (clients) hub().broadcast(clients, text);
    },
    candleIntervals: (coin) => intervals.get(coin)?.keys() ?? [],
    users: () => new Set(users.keys()),
  };

  return {
    publisher,
    subscriptions: countSubscriptions,
    accept: (open) => limits.acceptConnection(open),
    message(client, text) {
      if (!limits.acceptMessage()) return client.close();
      let message: Json;
      try {
        message = JSON.parse(text) as Json;
      } catch {
        return sendError(client, `Error parsing JSON into valid websocket request: ${text}`);
      }
      const { method } = message;
      if (method === 'ping') return client.send('{"channel":"pong"}');
      if (method === 'post') return post(client, message);
      const subscription = read(message.subscription, message.method);
      if ((method !== 'subscribe' && method !== 'unsubscribe') || subscription === 'unreadable') {
        return sendError(client, `Error parsing JSON into valid websocket request: ${text}`);
      }
      if (subscription === 'invalid') {
        return sendError(client, `Invalid subscription ${JSON.stringify(message.subscription)}`);
      }
      if (method === 'subscribe') subscribe(client, subscription, message.subscription);
      else unsubscribe(client, subscription, message.subscription);
    },
    closed(client) {
      for (const topic of topicsByClient.get(client) ?? []) drop(client, topic);
      topicsByClient.delete(client);
      posts.delete(client);
    },
  };
}
