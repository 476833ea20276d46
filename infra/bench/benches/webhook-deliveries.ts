/**
 * How fast are webhooks delivered, and is every promise kept meanwhile? Deliveries stand in the log for endpoints that
 * answer well, slowly, too late, never, with 5xx, 429, 3xx and 410, or reset; the sender, a process of its own, is killed
 * again and again until the queue is drained. Then the log and the endpoints are held against what webhooks promise
 * (`webhooks/check-outcome.ts`): the benchmark throws when a delivery was lost. The rate is the median over the stretches
 * between two kills, in events that got their 2xx; the baseline posts in between.
 *
 * What would skew it: the start of a process, which is not counted (from the first request on); the end, where the last
 * retries are waited for (the median leaves it out); endpoints that are slower than the sender (they only compare and
 * count, and baseline and sender have the same ones). The baseline keeps its connections and sends each event once;
 * the sender opens one for each request, as it must (`infra/outbound`), and sends five requests for three events.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPTS_MAX, ATTEMPTS_PER_WEBHOOK } from '#stream-gateway/webhooks/limits';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, type Measurement, rateResult } from '../measure.ts';
import { forkProgram } from '../threads/fork-program.ts';
import type { PosterCall, PosterDone } from '../threads/webhook-poster.ts';
import type { SenderCall, SenderReport } from '../threads/webhook-sender.ts';
import { BrokenPromise, checkOutcome } from '../webhooks/check-outcome.ts';
import { type Endpoints, openEndpoints } from '../webhooks/endpoints.ts';
import { fillLog } from '../webhooks/fill-log.ts';
import { type MixOptions, mixOf, SCHEDULE, sum } from '../webhooks/mix.ts';

const KILLS = 4;
const BARE_MS = 1_500;
const POLL_MS = 5;
/** Without a request or a settled delivery for so long it stands still. */
const STILL_MS = 60_000;

export const webhookDeliveries: Bench = {
  aims: { 'webhook-deliveries': null },
  limitMs: 15 * 60_000,
  run: (context) =>
    measureWebhookDeliveries(context, {
      deliveries: 100_000,
      copies: 8,
      waiting: 24,
      // Where a turn comes every few hundred milliseconds, a short one would fail good endpoints.
      timeoutMs: 5_000,
      kills: KILLS,
      bareMs: BARE_MS,
    }),
};

export interface WebhookDeliveriesOptions extends MixOptions {
  readonly kills: number;
  /** How long the baseline posts each time. */
  readonly bareMs: number;
}

/** Exported for tests, which measure fewer. */
export async function measureWebhookDeliveries(
  { folder, onProgress }: BenchContext,
  { kills, bareMs, ...options }: WebhookDeliveriesOptions,
): Promise<BenchResult[]> {
  const path = join(folder, 'log');
  const mix = mixOf(options);
  const taking = sum(mix.filter(({ ending }) => ending === 'takes'));
  const connections = Math.min(ATTEMPTS_MAX, mix.length * ATTEMPTS_PER_WEBHOOK);
  const endpoints = await openEndpoints(mix);
  const poster = openPoster();
  try {
    await fillLog(path, mix, endpoints.port);
    const call = { path, schedule: SCHEDULE, timeoutMs: options.timeoutMs };
    const tell = () => onProgress(endpoints.taken / taking);
    let stretch = 0;
    const rates = await alternate(
      () => {
        stretch += 1;
        const until = stretch > kills ? null : (taking * stretch) / (kills + 1);
        return send({ endpoints, call, until, tell });
      },
      () => poster.post({ port: endpoints.port, connections, durationMs: bareMs, events: mix.at(-1)!.deliveries }),
      // It has no budget: what is left must be sent before it can be checked.
      { rounds: kills + 1, warmups: 0, onProgress: tell, budgetMs: Number.POSITIVE_INFINITY },
    );
    await checkOutcome({ path, mix, endpoints, kills, timeoutMs: options.timeoutMs });
    return [rateResult('webhook-deliveries', 'deliveries/s', rates)];
  } finally {
    await poster.close();
    await endpoints.close();
  }
}

interface Stretch {
  readonly endpoints: Endpoints;
  readonly call: SenderCall;
  /** Events taken at which the sender is killed, if the queue is not drained before; null: it goes on until that. */
  readonly until: number | null;
  readonly tell: () => void;
}

/** Runs a sender for a while; gives how many events got their 2xx since its first request. */
async function send({ endpoints, call, until, tell }: Stretch): Promise<Measurement> {
  let pending = Number.POSITIVE_INFINITY;
  const sender = forkProgram<SenderCall, SenderReport>('webhook-sender', (report) => {
    pending = report.pending;
  });
  try {
    sender.send(call);
    const { received, taken } = endpoints;
    const watch = stillness();
    let began: number | null = null;
    while (pending > 0 && (until === null || endpoints.taken < until)) {
      if (began === null && endpoints.received > received) began = performance.now();
      if (sender.isOver) throw new Error('the sender has ended by itself');
      watch(`${endpoints.received} ${pending}`);
      tell();
      await sleep(POLL_MS);
    }
    if (until !== null && endpoints.taken < until)
      throw new BrokenPromise(`nothing is pending any more, but only ${endpoints.taken} events were taken`);
    const ms = performance.now() - (began ?? performance.now());
    const units = endpoints.taken - taken;
    if (until === null) await sender.end();
    return { units, ms };
  } finally {
    await sender.kill();
  }
}

/** Throws when it is shown the same for too long. */
function stillness(): (shown: string) => void {
  let last = { shown: '', at: performance.now() };
  return (shown) => {
    if (shown !== last.shown) last = { shown, at: performance.now() };
    else if (performance.now() - last.at > STILL_MS)
      throw new Error(`nothing came for ${STILL_MS} ms (requests and pending deliveries: ${shown})`);
  };
}

function openPoster() {
  let told: (done: PosterDone) => void = () => {};
  const program = forkProgram<PosterCall, PosterDone>('webhook-poster', (done) => told(done));
  return {
    async post(call: PosterCall): Promise<Measurement> {
      const done = new Promise<PosterDone>((resolve) => {
        told = resolve;
      });
      program.send(call);
      const { posted, ms, fault } = await Promise.race([
        done,
        sleep(call.durationMs + STILL_MS, null, { ref: false }).then(() => {
          throw new Error('the baseline did not answer in time');
        }),
      ]);
      if (fault !== null) throw new Error(fault);
      return { units: posted, ms };
    },
    close: () => program.kill(),
  };
}
