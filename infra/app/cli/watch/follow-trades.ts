import { WebSocket } from 'ws';
import { TRADE_STREAM_PROVIDERS } from '#schemas/domain/providers';
import { channelName, StreamClient } from '#stream-gateway/client/stream-client';
import type { WatchedTrade } from './watched.ts';

export interface TradeListener {
  readonly onTrade: (trade: WatchedTrade) => void;
  /** Called when trades are missing, for good or until the connection is back. */
  readonly onMissed: () => void;
}

/**
 * Follows the trades of all providers until the client is disconnected.
 * @param base URL of the gateway.
 */
export function followTrades(base: string, token: string, { onTrade, onMissed }: TradeListener): StreamClient {
  const client = new StreamClient({
    url: `${base}/v1/stream`,
    createSocket: (url, protocols) => new WebSocket(url, protocols),
    onState: ({ name }) => name === 'waiting' && onMissed(),
  });
  for (const provider of TRADE_STREAM_PROVIDERS)
    client.subscribe({ channel: channelName('trade', provider) }, (message) => {
      if (message.type === 'event') onTrade(message.data.payload as WatchedTrade);
      else if (message.type === 'gap') onMissed();
    });
  client.connect({ token });
  return client;
}
