/** A socket without a network: the test decides what it buffers and when it drains. */
import { channelOf } from '#schemas/stream/channel-names';
import { Connection, type Socket } from '../connection/connection.ts';
import { type EncodedFrame, encodeEventFrame } from '../connection/event-frame.ts';
import type { MessageAllowance } from '../connection/message-allowance.ts';
import { createSubscription, type Subscription } from '../connection/subscription.ts';

import type { Frame } from './client.fixture.ts';

export interface FakeConnection {
  readonly connection: Connection;
  /** Frames that were sent to the socket. */
  readonly sent: Frame[];
  readonly counts: { sent: number; dropped: number; corks: number; pings: number };
  readonly ended: { code: number | undefined; reason: string }[];
  /** Wall time of the connection. */
  nowMs: number;
  /** While true, sent frames stay in the socket's buffer. */
  stalled: boolean;
  bufferedBytes: number;
  /** The allowance of its organization; unlimited by default. */
  readonly allowance: MessageAllowance;
  /** Called while the socket is being ended, as the real one calls its close handler. */
  onEnd: () => void;
  /** Empties the socket's buffer and reports it until nothing waits. */
  drain(): void;
  subscribe(name?: string): Subscription;
}

export function fakeConnection(keyId = 'key'): FakeConnection {
  const sent: Frame[] = [];
  const counts = { sent: 0, dropped: 0, corks: 0, pings: 0 };
  const ended: FakeConnection['ended'] = [];
  const socket: Pick<Socket, 'send' | 'getBufferedAmount' | 'ping'> & {
    cork(work: () => void): never;
    end(code?: number, reason?: unknown): void;
  } = {
    cork(work) {
      counts.corks += 1;
      work();
      return undefined as never;
    },
    send(message) {
      const text = Buffer.from(message as ArrayBuffer).toString();
      sent.push(JSON.parse(text) as Frame);
      if (fake.stalled) fake.bufferedBytes += Buffer.byteLength(text);
      return fake.stalled ? 0 : 1;
    },
    getBufferedAmount: () => fake.bufferedBytes,
    ping() {
      counts.pings += 1;
      return 1;
    },
    end(code, reason) {
      ended.push({ code, reason: String(reason) });
      fake.connection.closed = true;
      fake.onEnd();
    },
  };
  const fake = {
    sent,
    counts,
    ended,
    nowMs: 1_000_000,
    stalled: false,
    bufferedBytes: 0,
    allowance: { left: Number.POSITIVE_INFINITY, sent: 0 },
    onEnd: () => {},
    drain() {
      fake.stalled = false;
      fake.bufferedBytes = 0;
      fake.connection.onDrain();
    },
    subscribe(universalId = 'evt_one') {
      const name = `svc:stream:event:${universalId}`;
      const subscription = createSubscription(fake.connection, channelOf({ kind: 'event', universalId }), name);
      fake.connection.subscriptions.set(subscription.id, subscription);
      return subscription;
    },
  } as Omit<FakeConnection, 'connection'> & { connection: Connection };
  fake.connection = new Connection({
    socket,
    principal: { keyId, orgId: 'org', scopes: ['stream'], sandbox: false, session: null },
    counters: {
      sent: (frames) => {
        counts.sent += frames;
      },
      dropped: (frames) => {
        counts.dropped += frames;
      },
    },
    allowance: fake.allowance,
    now: () => fake.nowMs,
  });
  return fake;
}

/** An event with a payload of `bytes` bytes. */
export function frameOf(seq: number, bytes = 200): EncodedFrame {
  const payload = JSON.stringify('x'.repeat(bytes));
  const frame = { channel: 'c', seq, type: 't', provider: null, marketId: null, receivedAt: 1, payload };
  return encodeEventFrame(frame, 'epoch', seq);
}
