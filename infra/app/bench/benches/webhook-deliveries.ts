/**
 * Rate of webhook deliveries, with a check of the delivery guarantees. The log holds deliveries for endpoints that
 * answer normally, slowly, too late, never, with 5xx, 429, 3xx and 410, or reset the connection. The sender is a
 * separate process that is killed several times before the queue is drained. Then the log and the requests are checked
 * against the guarantees (`webhooks/check-outcome.ts`), and the benchmark throws if a delivery was lost. The rate is
 * the median over the times between two kills, in events that got a 2xx. The baseline runs in between.
 *
 * Sources of error: the start of a process (counting starts with its first request); the end, with its wait for the
 * last retries (the median excludes it); slow endpoints (they only compare and count, and are the same for sender and
 * baseline). The baseline reuses connections and sends each event once. The sender opens a connection for each request,
 * as it must (`infra/outbound`), and sends five requests for three events.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPTS_MAX, ATTEMPTS_PER_WEBHOOK } from '#stream-gateway/webhooks/limits';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, type Measurement, rateResult } from '../measure.ts';
import { forkProgram } from '../threads/fork-program.ts';
import type { PosterCall, PosterDone } from '../threads/webhook-poster.ts';
import type { SenderCall, SenderReport } from '../threads/webhook-sender.ts';
import { checkOutcome, DeliveryCheckError } from '../webhooks/check-outcome.ts';
import { type Endpoints, openEndpoints } from '../webhooks/endpoints.ts';
import { fillLog } from '../webhooks/fill-log.ts';
import { type MixOptions, mixOf, SCHEDULE, sum } from '../webhooks/mix.ts';

const KILLS = 4;
const BARE_MS = 1_500;
const POLL_MS = 5;
/** Without a request or a finished delivery for this long the sender is stalled. */
const STALL_MS = 60_000;

export const webhookDeliveries: Bench = {
  aims: { 'webhook-deliveries': null },
  limitMs: 15 * 60_000,
  run: (context) =>
    measureWebhookDeliveries(context, {
      deliveries: 100_000,
      copies: 8,
      waiting: 24,
      // Attempts wait their turn for up to a few hundred milliseconds, so a short timeout would fail good endpoints.
      timeoutMs: 5_000,
      kills: KILLS,
      bareMs: BARE_MS,
    }),
};

export interface WebhookDeliveriesOptions extends MixOptions {
  readonly kills: number;
  /** Duration of each round of the baseline. */
  readonly bareMs: number;
}

/** Exported for tests, which use fewer deliveries. */
export async function measureWebhookDeliveries(
  { folder, onProgress }: BenchContext,
  { kills, bareMs, ...options }: WebhookDeliveriesOptions,
): Promise<BenchResult[]> {
  const path = join(folder, 'log');
  const mix = mixOf(options);
  const expectedAccepted = sum(mix.filter(({ ending }) => ending === 'delivers'));
  const connections = Math.min(ATTEMPTS_MAX, mix.length * ATTEMPTS_PER_WEBHOOK);
  const endpoints = await openEndpoints(mix);
  const poster = openPoster();
  try {
    await fillLog(path, mix, endpoints.port);
    const call = { path, schedule: SCHEDULE, timeoutMs: options.timeoutMs };
    const reportProgress = () => onProgress(endpoints.accepted / expectedAccepted);
    let stretch = 0;
    const rates = await alternate(
      () => {
        stretch += 1;
        const until = stretch > kills ? null : (expectedAccepted * stretch) / (kills + 1);
        return send({ endpoints, call, until, reportProgress });
      },
      () => poster.post({ port: endpoints.port, connections, durationMs: bareMs, events: mix.at(-1)!.deliveries }),
      // No time budget, since all deliveries must be sent before the check.
      { rounds: kills + 1, warmups: 0, onProgress: reportProgress, budgetMs: Number.POSITIVE_INFINITY },
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
  /** Number of accepted events at which the sender is killed; null to run until the queue is drained. */
  readonly until: number | null;
  readonly reportProgress: () => void;
}

/** Runs a sender for one stretch. Returns the number of events with a 2xx since its first request. */
async function send({ endpoints, call, until, reportProgress }: Stretch): Promise<Measurement> {
  let pending = Number.POSITIVE_INFINITY;
  const sender = forkProgram<SenderCall, SenderReport>('webhook-sender', (report) => {
    pending = report.pending;
  });
  try {
    sender.send(call);
    const { received, accepted } = endpoints;
    const watch = stallDetector();
    let startedAt: number | null = null;
    while (pending > 0 && (until === null || endpoints.accepted < until)) {
      if (startedAt === null && endpoints.received > received) startedAt = performance.now();
      if (sender.hasExited) throw new Error('the sender has exited');
      watch(`${endpoints.received} ${pending}`);
      reportProgress();
      await sleep(POLL_MS);
    }
    if (until !== null && endpoints.accepted < until)
      throw new DeliveryCheckError(`no delivery is pending, but only ${endpoints.accepted} events were accepted`);
    const ms = performance.now() - (startedAt ?? performance.now());
    const units = endpoints.accepted - accepted;
    if (until === null) await sender.end();
    return { units, ms };
  } finally {
    await sender.kill();
  }
}

/** Returns a function that throws if it is called with the same state for too long. */
function stallDetector(): (state: string) => void {
  let last = { shown: '', at: performance.now() };
  return (shown) => {
    if (shown !== last.shown) last = { shown, at: performance.now() };
    else if (performance.now() - last.at > STALL_MS)
      throw new Error(`no progress for ${STALL_MS} ms (requests and pending deliveries: ${shown})`);
  };
}

function openPoster() {
  let resolveDone: (done: PosterDone) => void = () => {};
  const program = forkProgram<PosterCall, PosterDone>('webhook-poster', (done) => resolveDone(done));
  return {
    async post(call: PosterCall): Promise<Measurement> {
      const done = new Promise<PosterDone>((resolve) => {
        resolveDone = resolve;
      });
      program.send(call);
      const { posted, ms, fault } = await Promise.race([
        done,
        sleep(call.durationMs + STALL_MS, null, { ref: false }).then(() => {
          throw new Error('the baseline did not answer in time');
        }),
      ]);
      if (fault !== null) throw new Error(fault);
      return { units: posted, ms };
    },
    close: () => program.kill(),
  };
}
