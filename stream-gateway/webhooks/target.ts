/** May a delivery be sent now, and where to? Pure. */
import type { ControlState, Webhook } from '#schemas/domain/control/state';

/** Why a delivery is not sent any more; stands as `error` in its last attempt record. */
export type Refusal = 'webhook_deleted' | 'webhook_disabled' | 'organization_suspended';

export type Target =
  | { readonly webhook: Webhook }
  | {
      readonly refusal: Refusal;
      /**
       * False: the state may just not know yet of the command after which the delivery was made, since whoever made it
       * reads the commands by itself.
       */
      readonly isFinal: boolean;
    };

/**
 * By how much the clock of the node that enabled a webhook may be ahead of the one that stamped a delivery made after it.
 * So a delivery of the minute before the enabling may be sent, where nobody settled it while the webhook was disabled;
 * without it deliveries made just after the enabling would be lost.
 */
export const ENABLED_TOLERANCE_MS = 60_000;

/**
 * @param appendedAt Unix ms at which the log took the delivery; what was there before the webhook was enabled again, by
 *   more than `ENABLED_TOLERANCE_MS`, is not sent.
 */
export function targetOf(state: ControlState, webhookId: string, appendedAt: number): Target {
  const webhook = state.webhooks.get(webhookId);
  if (!webhook) return { refusal: 'webhook_deleted', isFinal: false };
  if (appendedAt + ENABLED_TOLERANCE_MS < (webhook.enabledAt ?? 0))
    return { refusal: 'webhook_disabled', isFinal: true };
  if (!webhook.enabled) return { refusal: 'webhook_disabled', isFinal: appendedAt <= Date.parse(webhook.updatedAt) };
  if (state.organizations.get(webhook.orgId)?.suspended) return { refusal: 'organization_suspended', isFinal: false };
  return { webhook };
}
