/** Decides if a delivery may be sent now, and to which webhook. Pure. */
import type { ControlState, Webhook } from '#schemas/domain/control/state';

/** Why a delivery is no longer sent; the `error` of its last attempt record. */
export type Refusal = 'webhook_deleted' | 'webhook_disabled' | 'organization_suspended';

export type Target =
  | { readonly webhook: Webhook }
  | {
      readonly refusal: Refusal;
      /**
       * False if the state may not yet include the command that led to the delivery: its producer reads the commands
       * independently.
       */
      readonly isFinal: boolean;
    };

/**
 * How far the clock of the node that enabled a webhook may be ahead of the one that stamped a delivery afterwards. So a
 * delivery of the minute before the enabling may be sent if nobody finished it while the webhook was disabled; without
 * the tolerance deliveries right after the enabling would be lost.
 */
export const ENABLED_TOLERANCE_MS = 60_000;

/**
 * @param appendedAt Unix ms at which the delivery was appended to the log. A delivery appended before the webhook was
 *   enabled again, by more than `ENABLED_TOLERANCE_MS`, is not sent.
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
