import type { HubClient, HubProtocol, SocketHub } from '../sockets/socket-hub.ts';
import type { MarketPublisher, VenueBFeed } from './feed.ts';
import type { MarketBoard } from './market-board.ts';

/** What a client of the market socket listens to. */
interface ClientSubscriptions {
  readonly tokens: Set<string>;
  hasCustom: boolean;
}

/** Assets of one connection (venue page, section 5: the documented cap). */
export const MAX_ASSETS = 500;

export interface VenueBSocket extends HubProtocol {
  readonly publisher: MarketPublisher;
  subscriptions(): number;
}

type Json = Readonly<Record<string, unknown>>;

/** venue_b's market socket (venue page, section 5). */
export function createVenueBSocket(
  board: MarketBoard,
  feed: () => VenueBFeed,
  now: () => number,
  hub: () => SocketHub,
): VenueBSocket {
  const clients = new Map<HubClient, ClientSubscriptions>();
  const byToken = new Map<string, Set<HubClient>>();
  /** Listeners of a market with the number of its tokens that they listen to. */
  const byMarket = new Map<string, Map<HubClient, number>>();
  const custom = new Set<HubClient>();

  const marketOf = (tokenId: string) => board.byToken(tokenId, now());

  const add = (client: HubClient, listening: ClientSubscriptions, tokenId: string) => {
    if (listening.tokens.has(tokenId) || listening.tokens.size >= MAX_ASSETS) return;
    listening.tokens.add(tokenId);
    const set = byToken.get(tokenId) ?? new Set();
    byToken.set(tokenId, set.add(client));
    const conditionId = marketOf(tokenId)?.market.ids.conditionId;
    if (!conditionId) return;
    const ofMarket = byMarket.get(conditionId) ?? new Map<HubClient, number>();
    byMarket.set(conditionId, ofMarket.set(client, (ofMarket.get(client) ?? 0) + 1));
  };
  const remove = (client: HubClient, listening: ClientSubscriptions, tokenId: string) => {
    if (!listening.tokens.delete(tokenId)) return;
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

  /** The books of fresh tokens, as one array frame. */
  const sendBooks = (client: HubClient, tokens: readonly string[]) => {
    const books = tokens.flatMap((tokenId) => {
      const found = marketOf(tokenId);
      const frame = found && feed().bookFrameAt(found.market, found.token, now());
      return frame ? [frame] : [];
    });
    if (books.length > 0) client.send(`[${books.join(',')}]`);
  };

  const subscribe = (client: HubClient, message: Json) => {
    const listening = clients.get(client) ?? { tokens: new Set<string>(), hasCustom: false };
    clients.set(client, listening);
    if (message.custom_feature_enabled === true && !listening.hasCustom) {
      listening.hasCustom = true;
      custom.add(client);
    }
    const asked = Array.isArray(message.assets_ids) ? message.assets_ids.map(String) : [];
    const fresh = asked.filter((tokenId) => !listening.tokens.has(tokenId));
    for (const tokenId of fresh) add(client, listening, tokenId);
    if (message.initial_dump !== false) sendBooks(client, fresh);
  };
  const unsubscribe = (client: HubClient, message: Json) => {
    const listening = clients.get(client);
    const asked = Array.isArray(message.assets_ids) ? message.assets_ids.map(String) : [];
    if (listening) for (const tokenId of asked) remove(client, listening, tokenId);
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
      const listening = clients.get(client);
      for (const tokenId of listening?.tokens ?? []) {
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
