/**
 * Latency that Parallax adds between a venue and a subscriber. A venue in this process sends 5,000 trade frames a
 * second to the service, which is a separate process. A subscriber to `svc:stream:trade:venue_a_perp` in this process
 * records when each trade arrives. The baseline is a process that only relays the frames.
 *
 * Sources of error: two clocks (sender and subscriber share one); waiting for an arrival before the next send, which
 * hides queues (frames are sent on schedule, and timed from when they were sent); trades that never arrive (every one
 * must); both sides at once on few cores (they alternate, and the idle one receives nothing).
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { formatToken, mintToken } from '../../../control/token.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { latencyResult } from '../measure.ts';
import { median, quantile } from '../statistics.ts';
import { startProcess } from '../threads/start-process.ts';
import { type Audience, openTradeVenue, type TradeVenue, tradeIdIn } from '../trade-venue.ts';

const RATE = 5_000;
const ROUND_MS = 2_000;
const ROUNDS = 3;
const CHANNEL = 'svc:stream:trade:venue_a_perp';
/** Coins in the simulated catalog whose trades are sent. */
const COINS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** Longest wait after the last frame of a round. */
const ARRIVAL_TIMEOUT_MS = 10_000;

export const latency: Bench = {
  aims: { 'latency-p50': { valueMaxMs: 5 }, 'latency-p99': { valueMaxMs: 50 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const closers: (() => Promise<void>)[] = [];
    try {
      const venue = await openTradeVenue();
      closers.push(() => venue.close());
      const service = await openServiceSide(venue, folder, closers);
      const relay = await openRelaySide(venue, closers);
      // The first round is a warm-up, which compiles the service's code and fills its state.
      await measureRound(venue, 'service', service);
      const rounds: { readonly service: number[]; readonly relay: number[] }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        onProgress((round + 1) / (ROUNDS + 1));
        const samples = await measureRound(venue, 'service', service);
        rounds.push({ service: samples, relay: await measureRound(venue, 'relay', relay) });
      }
      const at = (side: Audience, share: number) => median(rounds.map((round) => quantile(round[side], share)));
      return [
        latencyResult('latency-p50', { subject: at('service', 0.5), baseline: at('relay', 0.5) }),
        latencyResult('latency-p99', { subject: at('service', 0.99), baseline: at('relay', 0.99) }),
      ];
    } finally {
      for (const close of closers.reverse()) await close();
    }
  },
};

/** Arrival time of each trade by its id, monotonic ms. */
type Arrivals = Map<number, number>;

async function openServiceSide(venue: TradeVenue, folder: string, closers: (() => Promise<void>)[]): Promise<Arrivals> {
  const token = formatToken(mintToken());
  // The catalog comes from a simulator that sends almost nothing else.
  const sourceFlags = ['--venues', 'sim', '--sim-rate', '1', '--sim-events', '1', '--sim-coins', String(COINS)];
  const flags = ['--http-port', '0', '--ws-port', '0', '--data-dir', join(folder, 'service'), '--log-level', 'error'];
  const service = await startProcess('service', [...sourceFlags, ...flags], {
    PARALLAX_ADMIN_TOKEN: token,
    PARALLAX_VENUE_A_WS_URL: venue.url,
  });
  closers.push(() => service.stop());
  const deadline = Date.now() + CONNECT_TIMEOUT_MS;
  while (venue.coins() < COINS) {
    if (Date.now() > deadline) throw new Error(`the service has subscribed to ${venue.coins()} of ${COINS} coins`);
    await sleep(20);
  }
  const { socket, arrivals } = await openSubscriber(`${service.url}/v1/stream`, {
    authorization: `Bearer ${token}`,
  });
  closers.push(async () => socket.terminate());
  const subscribed = new Promise((resolve) => void socket.once('message', resolve));
  socket.send(JSON.stringify({ type: 'subscribe', channel: CHANNEL }));
  await Promise.race([subscribed, sleep(CONNECT_TIMEOUT_MS, null, { ref: false })]);
  return arrivals;
}

async function openRelaySide(venue: TradeVenue, closers: (() => Promise<void>)[]): Promise<Arrivals> {
  const relay = await startProcess('relay', [venue.relayUrl]);
  closers.push(() => relay.stop());
  const { socket, arrivals } = await openSubscriber(relay.url, {});
  closers.push(async () => socket.terminate());
  return arrivals;
}

async function openSubscriber(url: string, headers: Record<string, string>) {
  const options = { headers, perMessageDeflate: false, handshakeTimeout: CONNECT_TIMEOUT_MS, skipUTF8Validation: true };
  const socket = new WebSocket(url, options);
  const arrivals: Arrivals = new Map();
  socket.on('message', (data) => {
    const id = tradeIdIn(data as Buffer);
    if (id !== null) arrivals.set(id, performance.now());
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { socket, arrivals };
}

/** Sends a round on schedule. Returns the latency of each trade in ms. Throws if one does not arrive. */
async function measureRound(venue: TradeVenue, to: Audience, arrivals: Arrivals): Promise<number[]> {
  arrivals.clear();
  const sentAt = new Map<number, number>();
  const startedAt = performance.now();
  const all = (RATE * ROUND_MS) / 1_000;
  while (sentAt.size < all) {
    const due = Math.min(all, Math.floor(((performance.now() - startedAt) * RATE) / 1_000));
    while (sentAt.size < due) {
      const now = performance.now();
      sentAt.set(venue.send(to), now);
    }
    await sleep(1);
  }
  const deadline = performance.now() + ARRIVAL_TIMEOUT_MS;
  while (arrivals.size < all) {
    if (performance.now() > deadline) throw new Error(`${to}: ${arrivals.size} of ${all} trades arrived`);
    await sleep(5);
  }
  return Array.from(sentAt, ([id, at]) => arrivals.get(id)! - at);
}
