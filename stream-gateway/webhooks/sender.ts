import type { Running } from '#infra/context';
import { mayPass, retry } from '#infra/retry';
import { attemptTopic, deliveryTopic, progressTopic } from '#schemas/topics/webhooks';
import { type SenderContext, Session } from './session.ts';

/** The lease that its holder alone sends under, and what it writes. */
export const WEBHOOK_LEASE = 'webhooks';
export const SENDER_TOPICS = [attemptTopic, progressTopic];

/** Makes the topics that the sender reads and writes. */
export async function prepareSenderTopics({ log, codec }: Pick<SenderContext, 'log' | 'codec'>): Promise<void> {
  await log.createTopics([deliveryTopic, ...SENDER_TOPICS]);
  await codec.prepare([deliveryTopic, ...SENDER_TOPICS]);
}

/**
 * Sends what `derived.deliveries` holds and will hold, in the background, until it is closed. Whoever starts it holds
 * the lease. A fault is told to health.
 */
export function startSender(context: SenderContext): Running {
  const { health, logger, part } = context;
  const closing = new AbortController();
  const running = send(context, closing.signal).catch((error: unknown) => {
    if (closing.signal.aborted) return;
    logger.error({ error }, 'the sender of webhooks stopped by a fault');
    health.failed(part, error);
  });
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

async function send(context: SenderContext, signal: AbortSignal): Promise<void> {
  const { health, logger, part } = context;
  while (!signal.aborted) {
    const session = await retry(() => Session.open(context, signal), {
      canRetry: (error) => mayPass(error, 'unknown_schema') && !signal.aborted,
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'pending deliveries cannot be read; trying again');
        health.degraded(part, 'pending deliveries cannot be read');
      },
      signal,
    });
    health.ready(part);
    try {
      if ((await session.run()) === 'rewritten')
        logger.warn('deliveries were written anew; what is pending is read again');
    } finally {
      await session.end();
    }
  }
}
