import type { HubClient, HubProtocol, SocketHub } from '../../sockets/socket-hub.ts';
import type { MarketPublisher, VenueBFeed } from './feed.ts';
import type { MarketBoard } from './market-board.ts';

/** Subscriptions of a client of the market socket. */
interface ClientSubscriptions {
  readonly tokens: Set<string>;
  hasCustom: boolean;
}

/** Most assets of one connection (venue page, section 5: the documented cap). */
const MAX_ASSETS = 500;

export interface VenueBSocket extends HubProtocol {
  readonly publisher: MarketPublisher;
  subscriptions(): number;
}

type Json = Readonly<Record<string, unknown>>;

/** Creates venue_b's market socket protocol (venue page, section 5). */
export function createVenueBSocket(
  board: MarketBoard,
  feed: () => VenueBFeed,
  now: () => number,
  hub: () => SocketHub,
): VenueBSocket {
  const clients = new Map<HubClient, ClientSubscriptions>();
  const byToken = new Map<string, Set<HubClient>>();
  /** Subscribers of a market, each with the number of subscribed tokens. */
  const byMarket = new Map<string, Map<HubClient, number>>();
  const custom = new Set<HubClient>();

  const marketOf = (tokenId: string) => board.byToken(tokenId, now());

  const add = (client: HubClient, subscriptions: ClientSubscriptions, tokenId: string) => {
    if (subscriptions.tokens.has(tokenId) || subscriptions.tokens.size >= MAX_ASSETS) return;
    subscriptions.tokens.add(tokenId);
    const set = byToken.get(tokenId) ?? new Set();
    byToken.set(tokenId, set.add(client));
    const conditionId = marketOf(tokenId)?.market.ids.conditionId;
    if (!conditionId) return;
    const ofMarket = byMarket.get(conditionId) ?? new Map<HubClient, number>();
    byMarket.set(conditionId, ofMarket.set(client, (ofMarket.get(client) ?? 0) + 1));
  };
  const remove = (client: HubClient, subscriptions: ClientSubscriptions, tokenId: string) => {
    if (!subscriptions.tokens.delete(tokenId)) return;
    byToken.get(tokenId)?.delete(client);
    if (byToken.get(tokenId)?.size === 0) byToken.delete(tokenId);
    const conditionId = marketOf(tokenId)?.market.ids.conditionId;
    const ofMarket = conditionId === undefined ? undefined : byMarket.get(conditionId);
    if (!ofMarket || conditionId === undefined) return;
    const left = (ofMarket.get(client) ?? 1) - 1;
    if (left > 0) ofMarket.set(client, left);
    else ofMarket.delete(client);
    if (ofMarket.size === 0) byMarket.delete(conditionId);
  };

  /** Sends the books of new tokens as one array frame. */
  const sendBooks = (client: HubClient, tokens: readonly string[]) => {
    const books = tokens.flatMap((tokenId) => {
      const found = marketOf(tokenId);
      const frame = found && feed().bookFrameAt(found.market, found.token, now());
      return frame ? [frame] : [];
    });
    if (books.length > 0) client.send(`[${books.join(',')}]`);
  };

  const subscribe = (client: HubClient, message: Json) => {
    const subscriptions = clients.get(client) ?? { tokens: new Set<string>(), hasCustom: false };
    clients.set(client, subscriptions);
    if (message.custom_feature_enabled === true && !subscriptions.hasCustom) {
      subscriptions.hasCustom = true;
      custom.add(client);
    }
    const requested = Array.isArray(message.assets_ids) ? message.assets_ids.map(String) : [];
    const fresh = requested.filter((tokenId) => !subscriptions.tokens.has(tokenId));
    for (const tokenId of fresh) add(client, subscriptions, tokenId);
    if (message.initial_dump !== false) sendBooks(client, fresh);
  };
  const unsubscribe = (client: HubClient, message: Json) => {
    const subscriptions = clients.get(client);
    const requested = Array.isArray(message.assets_ids) ? message.assets_ids.map(String) : [];
    if (subscriptions) for (const tokenId of requested) remove(client, subscriptions, tokenId);
  };

  const publisher: MarketPublisher = {
    wants: (conditionId) => byMarket.has(conditionId),
    wantsCustom: () => custom.size > 0,
    toMarket(conditionId, text) {
      const listeners = byMarket.get(conditionId);
      if (listeners) hub().broadcast(listeners.keys(), text);
    },
    toToken(tokenId, text) {
      const listeners = byToken.get(tokenId);
      if (listeners) hub().broadcast(listeners, text);
    },
    toTokenCustom(tokenId, text) {
      const listeners = [...(byToken.get(tokenId) ?? [])].filter((client) => custom.has(client));
      if (listeners.length > 0) hub().broadcast(listeners, text);
    },
    toCustom: (text) => hub().broadcast(custom, text),
  };

  return {
    publisher,
    subscriptions: () => [...clients.values()].reduce((sum, { tokens }) => sum + tokens.size, 0),
    message(client, text) {
      if (text === 'PING') return client.send('PONG');
      let message: Json;
      try {
        message = JSON.parse(text) as Json;
      } catch {
        return client.send('INVALID OPERATION');
      }
      if (message.operation === 'unsubscribe') return unsubscribe(client, message);
      if (message.operation === 'subscribe' || String(message.type).toLowerCase() === 'market') {
        return subscribe(client, message);
      }
      client.send('INVALID OPERATION');
    },
    closed(client) {
      const subscriptions = clients.get(client);
      for (const tokenId of subscriptions?.tokens ?? []) {
        byToken.get(tokenId)?.delete(client);
        if (byToken.get(tokenId)?.size === 0) byToken.delete(tokenId);
      }
      for (const [conditionId, listeners] of byMarket) {
        listeners.delete(client);
        if (listeners.size === 0) byMarket.delete(conditionId);
      }
      custom.delete(client);
      clients.delete(client);
    },
  };
}
