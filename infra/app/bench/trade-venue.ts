/** A venue for the latency benchmark that sends only trades with unique ids. */
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** Ids have 13 digits and a common prefix, so that they can be found in frames of any format. */
const FIRST_ID = 7_000_000_000_000;
const ID_PREFIX = Buffer.from('7000000');
const ID_DIGITS = 13;
/** True for a coin whose trades go to the measured channel: those of outcomes and of builder dexes have others. */
const isMeasured = (coin: string) => !coin.startsWith('#') && !coin.includes(':');
/** A socket on this path receives every trade without a subscription. */
const RELAY_PATH = '/relay';

/** Receiver of a trade. */
export type Audience = 'service' | 'relay';

export interface TradeVenue {
  readonly url: string;
  readonly relayUrl: string;
  /** Number of measured coins whose trades the service has subscribed to. */
  coins(): number;
  /** Sends one trade and returns its id. */
  send(to: Audience): number;
  close(): Promise<void>;
}

/** The id of the trade in a frame, or null. */
export function tradeIdIn(frame: Buffer): number | null {
  const at = frame.indexOf(ID_PREFIX);
  return at < 0 ? null : Number(frame.toString('latin1', at, at + ID_DIGITS));
}

/** Implements the part of venue_a's socket protocol (venue page, section 7) that a subscriber to trades needs. */
export async function openTradeVenue(): Promise<TradeVenue> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await new Promise((resolve) => server.once('listening', resolve));
  const subscribed = new Map<string, WebSocket>();
  let relay: WebSocket | null = null;
  let sent = 0;
  server.on('connection', (socket, request) => {
    if (request.url === RELAY_PATH) {
      relay = socket;
      return;
    }
    socket.on('message', (data) => {
      const { method, subscription } = JSON.parse(String(data)) as VenueRequest;
      if (method === 'ping') return socket.send('{"channel":"pong"}');
      const { type, coin } = subscription ?? {};
      if (type === 'trades' && coin !== undefined && isMeasured(coin)) subscribed.set(coin, socket);
      socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
    });
  });
  const base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: base,
    relayUrl: `${base}${RELAY_PATH}`,
    coins: () => subscribed.size,
    send(to) {
      sent += 1;
      const coins = [...subscribed.keys()];
      const coin = coins[sent % coins.length]!;
      const socket = to === 'relay' ? relay : subscribed.get(coin)!;
      const id = FIRST_ID + sent;
      socket?.send(tradeFrame(coin, id));
      return id;
    },
    close: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate();
        server.close(() => resolve());
      }),
  };
}

interface VenueRequest {
  readonly method: string;
  readonly subscription?: { readonly type: string; readonly coin?: string };
}

function tradeFrame(coin: string, id: number): string {
  const [side, px, sz] = [id % 2 === 0 ? 'B' : 'A', `${1_000 + (id % 500)}.5`, `0.${1 + (id % 9)}`];
  const [buyer, seller] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`];
  return `{"channel":"trades","data":[{"coin":"${coin}","side":"${side}","px":"${px}","sz":"${sz}","time":${Date.now()},"hash":"0x${'ef'.repeat(32)}","tid":${id},"users":["${buyer}","${seller}"]}]}`;
}
