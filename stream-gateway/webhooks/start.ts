import { openControlReplica } from '#infra/control/control-replica';
import { STALE_AFTER_MS } from '#infra/control/replica-lag';
import { startUnderLease } from '#infra/log/start-under-lease';
import { GuardedClient } from '#infra/outbound/guarded-request';
import { closeInReverse } from '#infra/runtime/closing';
import type { RoleContext, Running } from '#infra/runtime/context';
import { parseSchedule } from './schedule.ts';
import { prepareSenderTopics, SENDER_TOPICS, startSender, WEBHOOK_LEASE } from './sender.ts';

/** Part of `/health`. */
const PART = 'webhooks';

/** Sends webhooks on one node at a time; the others are standbys. */
export async function startWebhooks(context: Omit<RoleContext, 'store'>): Promise<Running> {
  const { settings, health } = context;
  health.expect(PART);
  await prepareSenderTopics(context);
  return startUnderLease({
    context,
    part: PART,
    lease: WEBHOOK_LEASE,
    topics: SENDER_TOPICS.map(({ name }) => name),
    start: async (lease) => {
      const control = await openControlReplica(context);
      const client = new GuardedClient({
        allowLoopback: settings.webhookAllowLoopback,
        timeoutMs: settings.webhookTimeoutMs,
      });
      const schedule = parseSchedule(settings.webhookSchedule);
      const sender = startSender({ ...context, control, client, schedule, part: PART, cancelAfterMs: STALE_AFTER_MS });
      // The process ends as well, but it closes other parts too.
      lease.lost.catch(() => sender.close());
      return { close: () => closeInReverse([() => control.close(), () => sender.close()]) };
    },
  });
}
