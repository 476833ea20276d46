import type { Running } from '#infra/runtime/context';
import { isTransient } from '#infra/runtime/retry';
import type { Health } from '#infra/telemetry/health';
import { OpenProblems } from '#infra/telemetry/open-problems';
import { attemptTopic, deliveryTopic, progressTopic } from '#schemas/topics/webhooks';
import { DeliveryWorker, type SenderContext } from './delivery-worker.ts';

/** The lease of the sending process, and the topics that only its holder writes. */
export const WEBHOOK_LEASE = 'webhooks';
export const SENDER_TOPICS = [attemptTopic, progressTopic];

/** Creates the topics that the sender reads and writes. */
export async function prepareSenderTopics({ log, codec }: Pick<SenderContext, 'log' | 'codec'>): Promise<void> {
  await log.createTopics([deliveryTopic, ...SENDER_TOPICS]);
  await codec.prepare([deliveryTopic, ...SENDER_TOPICS]);
}

export interface SenderOptions extends Omit<SenderContext, 'problems'> {
  readonly health: Health;
  /** Part of `/health`. */
  readonly part: string;
}

/**
 * Sends the deliveries of `derived.deliveries` in the background until it is closed. The caller holds the lease. A
 * fault is reported to health.
 */
export function startSender(options: SenderOptions): Running {
  const { health, logger, part } = options;
  const closing = new AbortController();
  const context = { ...options, problems: new OpenProblems(health, part) };
  const onReady = () => health.ready(part);
  const running = send(context, onReady, closing.signal).catch((error: unknown) => {
    if (closing.signal.aborted) return;
    logger.error({ error }, 'the webhook sender failed and stopped');
    health.failed(part, error);
  });
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

async function send(context: SenderContext, onReady: () => void, signal: AbortSignal): Promise<void> {
  const { logger, problems } = context;
  while (!signal.aborted) {
    const open = () => DeliveryWorker.open(context, signal);
    const worker = await problems.retry(open, () => 'pending webhook deliveries cannot be read', {
      canRetry: (error) => isTransient(error, 'unknown_schema') && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'could not read pending webhook deliveries, retrying');
      },
      signal,
    });
    onReady();
    try {
      if ((await worker.run()) === 'rewritten')
        logger.warn('derived.deliveries was rewritten; reading pending deliveries again');
    } finally {
      await worker.end();
    }
  }
}
