import { WebSocket } from 'ws';
import { TRADE_STREAM_PROVIDERS } from '#schemas/domain/providers';
import type { WatchedTrade } from './watched.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;

export interface TradeListener {
  readonly onTrade: (trade: WatchedTrade) => void;
  /** Called when trades are missing: the server reports it, or the connection ended. */
  readonly onMissed: () => void;
}

/** The trades of all providers. It connects again after every loss of the connection, until it is closed. */
export class TradeStream {
  private readonly url: string;
  private readonly token: string;
  private readonly listener: TradeListener;
  private socket: WebSocket | null = null;
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private isClosed = false;

  /** @param base URL of the gateway. */
  constructor(base: string, token: string, listener: TradeListener) {
    this.url = `${base}/v1/stream`;
    this.token = token;
    this.listener = listener;
    this.connect();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.socket?.terminate();
  }

  private connect(): void {
    const socket = new WebSocket(this.url, {
      headers: { authorization: `Bearer ${this.token}` },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    });
    this.socket = socket;
    socket.on('open', () => {
      this.failures = 0;
      for (const provider of TRADE_STREAM_PROVIDERS)
        socket.send(JSON.stringify({ type: 'subscribe', channel: `svc:stream:trade:${provider}` }));
    });
    socket.on('message', (data) => {
      const frame = JSON.parse(data.toString()) as { type: string; data?: { payload: WatchedTrade } };
      if (frame.type === 'event' && frame.data) this.listener.onTrade(frame.data.payload);
      else if (frame.type === 'lagged' || frame.type === 'gap') this.listener.onMissed();
    });
    // An error is followed by `close`.
    socket.on('error', () => {});
    socket.once('close', () => {
      this.listener.onMissed();
      if (this.isClosed) return;
      const delay = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.failures) * (0.5 + Math.random() / 2);
      this.failures += 1;
      this.timer = setTimeout(() => this.connect(), delay);
    });
  }
}
