/**
 * What does the gateway cost beside the socket library? Events of one channel go from the log through the hub to 300
 * sockets; the baseline hands the same bytes to `publish` of uWebSockets.js for as many sockets. Deliveries are counted
 * where they arrive.
 *
 * What would skew it: counting what was sent and not what was received; a client that is slower than the server (one
 * thread walks over frame headers and parses nothing); running far ahead of the clients, where one side queues and the
 * other drops (both wait when they are a window ahead); frames that differ in length.
 */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import { partitionOf } from '#schemas/topics/topic';
import { encodeEventFrame } from '#stream-gateway/connection/event-frame';
import { start as startGateway } from '#stream-gateway/start';
import { createAuthenticator } from '../../control/authenticator.ts';
import { openControlHost } from '../../control/control-host.ts';
import { seedAdminKey } from '../../control/seed.ts';
import { beginEpoch } from '../../log/epochs.ts';
import type { AppendRecord } from '../../log/log.ts';
import { loadUws } from '../../uws.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, type Measurement, rateResult } from '../measure.ts';
import { type OpenWorld, openService } from '../open-world.ts';
import type { CountedSockets } from '../threads/frame-counter.ts';
import { startThread } from '../threads/start-thread.ts';

const SOCKETS = 300;
const ROUND_FRAMES = 1_600;
const BATCH_FRAMES = 16;
/** Frames a socket that may be on their way. */
const WINDOW_FRAMES = 64;
const ROUNDS = 5;
const WARMUPS = 2;
const ROUND_TIMEOUT_MS = 20_000;
const CHANNEL = 'svc:stream:trade:venue_a_perp';
const EVENT = '{"type":"event"';

/** Sends a batch of frames, the first numbered one above `from`. */
type Send = (from: number) => Promise<void>;

export const fanout: Bench = {
  aims: { fanout: { ratioMin: 0.8 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const world = await openService(folder);
    const closers: (() => Promise<void>)[] = [() => world.close()];
    try {
      const [hub, bare] = [await openHub(world, closers), await openBare(closers)];
      const options = { rounds: ROUNDS, warmups: WARMUPS, onProgress };
      const rates = await alternate(
        () => deliver(hub),
        () => deliver(bare),
        options,
      );
      return [rateResult('fanout', 'deliveries/s', rates)];
    } finally {
      for (const close of closers.reverse()) await close();
    }
  },
};

interface Subject {
  readonly send: Send;
  /** Deliveries so far. */
  readonly received: () => number;
  sent: number;
}

async function deliver(subject: Subject): Promise<Measurement> {
  const deadline = performance.now() + ROUND_TIMEOUT_MS;
  const until = async (deliveries: number) => {
    for (let looks = 0; subject.received() < deliveries; looks += 1) {
      if (performance.now() > deadline)
        throw new Error(`${subject.received()} of ${deliveries} deliveries came in time`);
      // A turn of the event loop is what the server needs to send; a wait now and then leaves the processor to others.
      await (looks % 4 === 3 ? sleep(1) : yieldToIo());
    }
  };
  const [before, began] = [subject.sent, performance.now()];
  while (subject.sent < before + ROUND_FRAMES) {
    await until((subject.sent + BATCH_FRAMES - WINDOW_FRAMES) * SOCKETS);
    await subject.send(subject.sent);
    subject.sent += BATCH_FRAMES;
    await yieldToIo();
  }
  await until(subject.sent * SOCKETS);
  return { units: ROUND_FRAMES * SOCKETS, ms: performance.now() - began };
}

/** The gateway on a log of its own, with its sockets subscribed. */
async function openHub({ context, token }: OpenWorld, closers: (() => Promise<void>)[]): Promise<Subject> {
  const { log, codec, logger, settings } = context;
  const host = await openControlHost(context);
  await seedAdminKey({
    host,
    authenticator: createAuthenticator(host),
    logger,
    adminToken: token,
    plan: settings.plan,
  });
  await host.close();
  const topic = channelTopics.events;
  await beginEpoch(log, codec, topic.name);
  const gateway = await startGateway(context);
  closers.push(() => gateway.close());
  const received = await openSockets(closers, {
    port: Number(new URL(gateway.address).port),
    path: '/v1/stream',
    headers: { authorization: `Bearer ${token}` },
    hello: JSON.stringify({ type: 'subscribe', channel: CHANNEL }),
    readyPrefix: '{"type":"subscribed"',
  });
  const partition = partitionOf(CHANNEL, topic.partitions);
  const send: Send = async (from) => {
    const records: AppendRecord[] = Array.from({ length: BATCH_FRAMES }, (_, nth) => {
      const frame = frameOf(from + nth + 1);
      const { receivedAt, seq } = frame;
      return { topic: topic.name, partition, key: CHANNEL, value: codec.encode(topic, frame), receivedAt, seq };
    });
    await log.append(records);
  };
  return { send, received, sent: 0 };
}

/** The socket library alone, its sockets subscribed to one of its topics. */
async function openBare(closers: (() => Promise<void>)[]): Promise<Subject> {
  const uws = await loadUws();
  const app = uws.App().ws('/', {
    maxBackpressure: 64 * 1024 * 1024,
    open: (socket) => void socket.subscribe(CHANNEL),
  });
  const listening = await new Promise<import('../../uws.ts').us_listen_socket>((resolve, reject) => {
    app.listen('127.0.0.1', 0, (socket) => (socket ? resolve(socket) : reject(new Error('no port to listen on'))));
  });
  closers.push(async () => {
    uws.us_listen_socket_close(listening);
    app.close();
  });
  const port = uws.us_socket_local_port(listening);
  const received = await openSockets(closers, { port, path: '/', headers: {}, hello: null, readyPrefix: null });
  // What the hub makes of a frame; encoded beforehand, since encoding is no part of the socket library.
  const { data } = encodeEventFrame(frameOf(ROUND_FRAMES), 'bareline', ROUND_FRAMES);
  const send: Send = async () => {
    for (let nth = 0; nth < BATCH_FRAMES; nth += 1) app.publish(CHANNEL, data, false);
  };
  return { send, received, sent: 0 };
}

/** Opens the sockets from a thread; gives how to see the deliveries on all of them. */
async function openSockets(
  closers: (() => Promise<void>)[],
  options: Omit<CountedSockets, 'sockets' | 'countedPrefix'>,
): Promise<() => number> {
  const shared = new SharedArrayBuffer(4);
  const thread = startThread<CountedSockets, { readonly fault: string | null }>('frame-counter', { shared });
  closers.push(() => thread.close());
  const { fault } = await thread.ask({ ...options, sockets: SOCKETS, countedPrefix: EVENT });
  if (fault !== null) throw new Error(`a socket could not be opened: ${fault}`);
  const counts = new Int32Array(shared);
  return () => Atomics.load(counts, 0);
}

function frameOf(seq: number): ChannelFrame {
  return {
    channel: CHANNEL,
    seq,
    type: 'trade.observed',
    provider: 'venue_a_perp',
    marketId: 'BTC',
    receivedAt: BEGINS_MS + seq,
    payload: PAYLOAD,
  };
}

const BEGINS_MS = Date.UTC(2026, 0, 15, 12);
/** As long as a trade's usually is. */
const PAYLOAD = JSON.stringify({
  id: 'venue_a_perp:BTC:1768478400000:123456789012345',
  provider: 'venue_a_perp',
  marketId: 'BTC',
  side: 'buy',
  price: 98_123.5,
  qty: 0.25,
  maker: `0x${'ab'.repeat(20)}`,
  taker: `0x${'cd'.repeat(20)}`,
  txHash: `0x${'ef'.repeat(32)}`,
  ts: '2026-01-15T12:00:00.000Z',
});
