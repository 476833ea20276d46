/**
 * A stream that changes rows of the board of events at a steady rate, for pages that are measured. It accepts every
 * subscription, and sends spreads and arbitrage on the channels of events in turn.
 */
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** Frames that are due are sent this often. */
const SEND_EVERY_MS = 50;
const CHANNEL = /^svc:stream:(event|arbitrage):(.+)$/;

/** What is shown of an event at first. */
export interface UpdatedRow {
  readonly universalId: string;
  readonly legs: readonly object[];
}

export interface BoardUpdates {
  readonly url: string;
  /** Number of events that were sent. */
  readonly sent: number;
  close(): Promise<void>;
}

interface Subscribed {
  readonly socket: WebSocket;
  readonly id: string;
  readonly channel: string;
  seq: number;
}

interface ClientFrame {
  readonly type: string;
  readonly channel?: string;
  readonly subscription_id?: string;
}

/** @param perSecond events of all channels together, while anything is subscribed. */
export async function startBoardUpdates(rows: readonly UpdatedRow[], perSecond: number): Promise<BoardUpdates> {
  const rowOf = new Map(rows.map((row) => [row.universalId, row]));
  const subscribed: Subscribed[] = [];
  let [ids, sent, turn] = [0, 0, 0];
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: (protocols) => [...protocols][0] ?? false,
  });
  server.on('connection', (socket) => {
    const send = (frame: object) => socket.send(JSON.stringify(frame));
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as ClientFrame;
      if (frame.type === 'ping') send({ type: 'pong' });
      if (frame.type === 'subscribe') {
        ids += 1;
        const [id, channel] = [`sub_${ids}`, frame.channel!];
        send({ type: 'subscribed', subscription_id: id, channel, cursor: 'e.0' });
        if (CHANNEL.test(channel)) subscribed.push({ socket, id, channel, seq: 0 });
      }
      if (frame.type === 'unsubscribe') {
        drop(({ id }) => id === frame.subscription_id);
        send({ type: 'unsubscribed', subscription_id: frame.subscription_id });
      }
    });
    socket.on('close', () => drop((one) => one.socket === socket));
  });
  function drop(isDropped: (one: Subscribed) => boolean): void {
    for (let at = subscribed.length - 1; at >= 0; at -= 1) if (isDropped(subscribed[at]!)) subscribed.splice(at, 1);
  }
  function sendNext(): void {
    turn += 1;
    const next = subscribed[turn % subscribed.length]!;
    next.seq += 1;
    sent += 1;
    const { id, channel, seq, socket } = next;
    const [, kind, universalId] = CHANNEL.exec(channel)!;
    const data = dataOf(kind!, rowOf.get(universalId!) ?? { universalId: universalId!, legs: [] }, turn);
    socket.send(
      JSON.stringify({ type: 'event', subscription_id: id, channel, epoch: 'e', seq, cursor: `e.${seq}`, data }),
    );
  }
  let from = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const due = Math.floor(((now - from) * perSecond) / 1_000);
    from += (due * 1_000) / perSecond;
    for (let at = 0; at < due && subscribed.length > 0; at += 1) sendNext();
  }, SEND_EVERY_MS);
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/stream`,
    get sent() {
      return sent;
    },
    async close() {
      clearInterval(timer);
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The data of an event that differs from the one before. */
function dataOf(kind: string, { universalId, legs }: UpdatedRow, turn: number): object {
  const now = Date.now();
  const at = new Date(now).toISOString();
  // Prices between 0.3 and 0.7.
  const price = 0.3 + (turn % 41) / 100;
  const [common, edge] = [{ provider: null, marketId: null, receivedAt: now }, (turn % 90) / 1_000];
  if (kind === 'event') {
    const changed = legs.map((leg) => ({ ...leg, yesBid: price, yesAsk: price + 0.01, yesMid: price, asOf: at }));
    const payload = { universalId, legs: changed, spread: edge, fetchedAt: at };
    return { ...common, type: 'event.spread', payload };
  }
  const payload = {
    kind: turn % 2 === 0 ? 'cross_provider' : 'negation_pair',
    universalId,
    size: 100,
    grossEdge: edge + 0.01,
    netEdge: edge,
    quoteAgeMs: turn % 900,
    at,
  };
  return { ...common, type: 'event.arbitrage', payload };
}
