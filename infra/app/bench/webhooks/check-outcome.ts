/** Checks the log and the received requests after a run against the guarantees of webhook delivery. */
import { attemptTopic, type DeliveryAttempt } from '#schemas/topics/webhooks';
import { ATTEMPTS_PER_WEBHOOK } from '#stream-gateway/webhooks/limits';
import { openControlReplica } from '../../../control/control-replica.ts';
import { readPartition } from '../../../log/read-partition.ts';
import type { Endpoints, Tally } from './endpoints.ts';
import { deliveryIdOf, type MixedWebhook, sum } from './mix.ts';
import { openLogContext } from './open-log.ts';

/** Thrown if a delivery was lost, changed, sent to a disabled webhook, or not finished. */
export class DeliveryCheckError extends Error {
  override name = 'BrokenPromise';
  readonly code = 'delivery_check';
  readonly canRetry = false;
}

/** Longest time from sending a request until the endpoint reads the clock, on a busy machine. */
const LATE_MS = 5_000;

export interface Outcome {
  readonly path: string;
  readonly mix: readonly MixedWebhook[];
  readonly endpoints: Endpoints;
  readonly kills: number;
  readonly timeoutMs: number;
}

/** Attempts of one webhook in the log. */
interface Recorded {
  /** Number of attempts that sent a request. */
  sent: number;
  /** Start of the last of these, unix ms. */
  lastAt: number;
}

/** Throws a `DeliveryCheckError` for the first violation. */
export async function checkOutcome(outcome: Outcome): Promise<void> {
  const { path, mix, endpoints } = outcome;
  if (endpoints.fault !== null) throw new DeliveryCheckError(endpoints.fault);
  const { recorded, lastOutcomes, webhooks } = await readOutcome(path);
  const finished = [...lastOutcomes.values()].filter((last) => last !== 'pending').length;
  if (finished !== sum(mix)) throw new DeliveryCheckError(`${finished} of ${sum(mix)} deliveries are finished`);
  for (const webhook of mix) {
    const tally = endpoints.tallies.get(webhook.id)!;
    const of = recorded.get(webhook.id)!;
    checkRepeats(outcome, webhook, tally, of);
    if (webhook.ending === 'delivers') checkDelivered(webhook, tally, lastOutcomes);
    const { enabled, disabledReason, updatedAt } = webhooks.get(webhook.id)!;
    const ending = enabled ? 'delivers' : disabledReason;
    if (ending !== webhook.ending) throw new DeliveryCheckError(`${webhook.id} ended as ${ending}`);
    if (!enabled) checkDisabled(outcome, webhook, Date.parse(updatedAt), tally, of);
  }
}

/** Reads attempts by webhook, last outcomes by delivery, and the webhooks from the log. */
async function readOutcome(path: string) {
  const context = await openLogContext(path);
  const { log, codec } = context;
  try {
    await codec.prepare([attemptTopic]);
    const recorded = new Map<string, Recorded>();
    const lastOutcomes = new Map<string, DeliveryAttempt['outcome']>();
    for (let partition = 0; partition < attemptTopic.partitions; partition += 1)
      await readPartition(log, { topic: attemptTopic.name, partition }, ({ value }) => {
        const attempt = codec.decode(attemptTopic, value!);
        lastOutcomes.set(attempt.deliveryId, attempt.outcome);
        const of = recorded.get(attempt.webhookId) ?? { sent: 0, lastAt: 0 };
        recorded.set(attempt.webhookId, of);
        if (attempt.error === 'webhook_disabled') return;
        of.sent += 1;
        of.lastAt = Math.max(of.lastAt, attempt.receivedAt);
      });
    const control = await openControlReplica(context);
    await control.close();
    return { recorded, lastOutcomes, webhooks: control.state.webhooks };
  } finally {
    await log.close();
  }
}

/** A kill repeats at most the attempts in flight; every other request must be recorded in the log. */
function checkRepeats({ kills }: Outcome, { id }: MixedWebhook, { received }: Tally, { sent }: Recorded): void {
  const most = sent + kills * ATTEMPTS_PER_WEBHOOK;
  if (received > most)
    throw new DeliveryCheckError(`${id} received ${received} requests, but only ${sent} attempts are recorded`);
}

function checkDelivered({ id }: MixedWebhook, { requests }: Tally, lastOutcomes: ReadonlyMap<string, string>): void {
  for (const [number, count] of requests.entries()) {
    if (count === 0) throw new DeliveryCheckError(`${id} never received event ${number}`);
    const last = lastOutcomes.get(deliveryIdOf(id, number));
    if (last !== 'delivered') throw new DeliveryCheckError(`event ${number} of ${id} is ${last}`);
  }
}

/** Expects no attempt after the command that disabled the webhook, by the sender's clock and by the endpoint's. */
function checkDisabled(
  { timeoutMs }: Outcome,
  { id }: MixedWebhook,
  disabledAt: number,
  tally: Tally,
  recorded: Recorded,
): void {
  const afterMs = Math.max(recorded.lastAt - disabledAt, tally.lastAt - timeoutMs - LATE_MS - disabledAt);
  if (afterMs > 0) throw new DeliveryCheckError(`${id} was sent to ${afterMs} ms after it was disabled`);
}
