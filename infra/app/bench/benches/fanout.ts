/**
 * Deliveries per second of the gateway compared with its socket library. Events of one channel go from the log through
 * the hub to 300 sockets. The baseline passes the same bytes to `publish` of uWebSockets.js for the same number of
 * sockets. Deliveries are counted by the receiver.
 *
 * Sources of error: counting sent instead of received frames; a client that is slower than the server (one thread reads
 * only frame headers); sending far ahead of the clients, where one side queues and the other drops (both wait when they
 * are a window ahead); frames of different length.
 */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import { type ChannelFrame, channelTopics } from '#schemas/topics/channels';
import { partitionOf } from '#schemas/topics/topic';
import { encodeEventFrame } from '#stream-gateway/connection/event-frame';
import { loadUws } from '#stream-gateway/connection/uws';
import { start as startGateway } from '#stream-gateway/start';
import { createAuthenticator } from '../../../control/authenticator.ts';
import { openControlReplica } from '../../../control/control-replica.ts';
import { seedAdminKey } from '../../../control/seed.ts';
import { beginEpoch } from '../../../log/epochs.ts';
import type { AppendRecord } from '../../../log/log.ts';
import { openService, type SimulatedService } from '../../simulated-service.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, type Measurement, rateResult } from '../measure.ts';
import type { CountedSockets } from '../threads/frame-counter.ts';
import { startThread } from '../threads/start-thread.ts';

const SOCKETS = 300;
const ROUND_FRAMES = 1_600;
const BATCH_FRAMES = 16;
/** Frames per socket that may be in flight. */
const WINDOW_FRAMES = 64;
const ROUNDS = 5;
const WARMUPS = 2;
const ROUND_TIMEOUT_MS = 20_000;
const CHANNEL = 'svc:stream:trade:venue_a_perp';
const EVENT = '{"type":"event"';

/** Sends a batch of frames, numbered from `from + 1`. */
type Send = (from: number) => Promise<void>;

export const fanout: Bench = {
  aims: { fanout: { ratioMin: 0.8 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const service = await openService(folder);
    const closers: (() => Promise<void>)[] = [() => service.close()];
    try {
      const [hub, bare] = [await openHub(service, closers), await openBare(closers)];
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
  /** Number of deliveries so far. */
  readonly received: () => number;
  sent: number;
}

async function deliver(subject: Subject): Promise<Measurement> {
  const deadline = performance.now() + ROUND_TIMEOUT_MS;
  const until = async (deliveries: number) => {
    for (let turns = 0; subject.received() < deliveries; turns += 1) {
      if (performance.now() > deadline)
        throw new Error(`${subject.received()} of ${deliveries} deliveries arrived in time`);
      // The server needs a turn of the event loop to send. An occasional sleep leaves the processor to other threads.
      await (turns % 4 === 3 ? sleep(1) : yieldToIo());
    }
  };
  const [before, startedAt] = [subject.sent, performance.now()];
  while (subject.sent < before + ROUND_FRAMES) {
    await until((subject.sent + BATCH_FRAMES - WINDOW_FRAMES) * SOCKETS);
    await subject.send(subject.sent);
    subject.sent += BATCH_FRAMES;
    await yieldToIo();
  }
  await until(subject.sent * SOCKETS);
  return { units: ROUND_FRAMES * SOCKETS, ms: performance.now() - startedAt };
}

/** Starts the gateway on its own log and subscribes the sockets. */
async function openHub({ context, token }: SimulatedService, closers: (() => Promise<void>)[]): Promise<Subject> {
  const { log, codec, logger, settings } = context;
  const host = await openControlReplica(context);
  await seedAdminKey({
    replica: host,
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
    port: Number(new URL(gateway.url).port),
    path: '/v1/stream',
    headers: { authorization: `Bearer ${token}` },
    firstMessage: JSON.stringify({ type: 'subscribe', channel: CHANNEL }),
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

/** Starts a server with only the socket library and subscribes the sockets to one of its topics. */
async function openBare(closers: (() => Promise<void>)[]): Promise<Subject> {
  const uws = await loadUws();
  const app = uws.App().ws('/', {
    maxBackpressure: 64 * 1024 * 1024,
    open: (socket) => void socket.subscribe(CHANNEL),
  });
  const listening = await new Promise<import('#stream-gateway/connection/uws').us_listen_socket>((resolve, reject) => {
    app.listen('127.0.0.1', 0, (socket) => (socket ? resolve(socket) : reject(new Error('no port to listen on'))));
  });
  closers.push(async () => {
    uws.us_listen_socket_close(listening);
    app.close();
  });
  const port = uws.us_socket_local_port(listening);
  const received = await openSockets(closers, { port, path: '/', headers: {}, firstMessage: null, readyPrefix: null });
  // The frame as the hub encodes it. It is encoded once, since encoding is not part of the socket library.
  const { data } = encodeEventFrame(frameOf(ROUND_FRAMES), 'bareline', ROUND_FRAMES);
  const send: Send = async () => {
    for (let nth = 0; nth < BATCH_FRAMES; nth += 1) app.publish(CHANNEL, data, false);
  };
  return { send, received, sent: 0 };
}

/** Opens the sockets in a thread. Returns a function that reads the number of deliveries on all of them. */
async function openSockets(
  closers: (() => Promise<void>)[],
  options: Omit<CountedSockets, 'sockets' | 'countedPrefix'>,
): Promise<() => number> {
  const shared = new SharedArrayBuffer(4);
  const thread = startThread<CountedSockets, { readonly fault: string | null }>('frame-counter', { shared });
  closers.push(() => thread.close());
  const { fault } = await thread.request({ ...options, sockets: SOCKETS, countedPrefix: EVENT });
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
/** As long as the payload of a typical trade. */
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
