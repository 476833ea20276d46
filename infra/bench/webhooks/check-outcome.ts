/** Holds what the log and the endpoints tell after a run against what webhooks promise. */
import { attemptTopic, type DeliveryAttempt } from '#schemas/topics/webhooks';
import { ATTEMPTS_PER_WEBHOOK } from '#stream-gateway/webhooks/limits';
import { openControlHost } from '../../control/control-host.ts';
import { readPartition } from '../../log/read-partition.ts';
import type { Endpoints, Tally } from './endpoints.ts';
import { deliveryIdOf, type MixedWebhook, sum } from './mix.ts';
import { openLogContext } from './open-log.ts';

/** Thrown when a delivery was lost, changed, sent to whom it should not be, or not settled. */
export class BrokenPromise extends Error {
  override name = 'BrokenPromise';
  readonly code = 'broken_promise';
  readonly canRetry = false;
}

/** What a request may take on its way to the endpoint's clock, on a busy machine. */
const LATE_MS = 5_000;

export interface Outcome {
  readonly path: string;
  readonly mix: readonly MixedWebhook[];
  readonly endpoints: Endpoints;
  readonly kills: number;
  readonly timeoutMs: number;
}

/** Attempts of one webhook, as the log has them. */
interface Recorded {
  /** Those that sent a request. */
  sent: number;
  /** Unix ms at which the last of these began. */
  lastAt: number;
}

/** Throws `BrokenPromise` for the first thing that is not as it should be. */
export async function checkOutcome(outcome: Outcome): Promise<void> {
  const { path, mix, endpoints } = outcome;
  if (endpoints.fault !== null) throw new BrokenPromise(endpoints.fault);
  const { recorded, lasts, webhooks } = await readOutcome(path);
  const settled = [...lasts.values()].filter((last) => last !== 'pending').length;
  if (settled !== sum(mix)) throw new BrokenPromise(`${settled} of ${sum(mix)} deliveries are settled`);
  for (const webhook of mix) {
    const tally = endpoints.tallies.get(webhook.id)!;
    const of = recorded.get(webhook.id)!;
    checkRepeats(outcome, webhook, tally, of);
    if (webhook.ending === 'takes') checkTaken(webhook, tally, lasts);
    const { enabled, disabledReason, updatedAt } = webhooks.get(webhook.id)!;
    const ending = enabled ? 'takes' : disabledReason;
    if (ending !== webhook.ending) throw new BrokenPromise(`${webhook.id} ended as ${ending}`);
    if (!enabled) checkDisabled(outcome, webhook, Date.parse(updatedAt), tally, of);
  }
}

/** What the log says of the attempts, by webhook and by delivery, and of the webhooks. */
async function readOutcome(path: string) {
  const context = await openLogContext(path);
  const { log, codec } = context;
  try {
    await codec.prepare([attemptTopic]);
    const recorded = new Map<string, Recorded>();
    const lasts = new Map<string, DeliveryAttempt['outcome']>();
    for (let partition = 0; partition < attemptTopic.partitions; partition += 1)
      await readPartition(log, { topic: attemptTopic.name, partition }, ({ value }) => {
        const attempt = codec.decode(attemptTopic, value!);
        lasts.set(attempt.deliveryId, attempt.outcome);
        const of = recorded.get(attempt.webhookId) ?? { sent: 0, lastAt: 0 };
        recorded.set(attempt.webhookId, of);
        if (attempt.error === 'webhook_disabled') return;
        of.sent += 1;
        of.lastAt = Math.max(of.lastAt, attempt.receivedAt);
      });
    const control = await openControlHost(context);
    await control.close();
    return { recorded, lasts, webhooks: control.state.webhooks };
  } finally {
    await log.close();
  }
}

/** A kill repeats at most what was under way; everything else that came stands in the log. */
function checkRepeats({ kills }: Outcome, { id }: MixedWebhook, { received }: Tally, { sent }: Recorded): void {
  const most = sent + kills * ATTEMPTS_PER_WEBHOOK;
  if (received > most)
    throw new BrokenPromise(`${id} got ${received} requests, but only ${sent} attempts are recorded`);
}

function checkTaken({ id }: MixedWebhook, { requests }: Tally, lasts: ReadonlyMap<string, string>): void {
  for (const [number, count] of requests.entries()) {
    if (count === 0) throw new BrokenPromise(`${id} never got event ${number}`);
    const last = lasts.get(deliveryIdOf(id, number));
    if (last !== 'delivered') throw new BrokenPromise(`event ${number} of ${id} is ${last}`);
  }
}

/** No attempt began after the command that disabled it (both times are of the sending process), and none came later. */
function checkDisabled(
  { timeoutMs }: Outcome,
  { id }: MixedWebhook,
  disabledAt: number,
  tally: Tally,
  recorded: Recorded,
): void {
  const afterMs = Math.max(recorded.lastAt - disabledAt, tally.lastAt - timeoutMs - LATE_MS - disabledAt);
  if (afterMs > 0) throw new BrokenPromise(`${id} was sent to ${afterMs} ms after it was disabled`);
}
