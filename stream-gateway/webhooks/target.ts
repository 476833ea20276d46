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

/** @param appendedAt Unix ms at which the log took the delivery; what was there before the webhook was enabled again is not sent. */
export function targetOf(state: ControlState, webhookId: string, appendedAt: number): Target {
  const webhook = state.webhooks.get(webhookId);
  if (!webhook) return { refusal: 'webhook_deleted', isFinal: false };
  if (appendedAt < (webhook.enabledAt ?? 0)) return { refusal: 'webhook_disabled', isFinal: true };
  if (!webhook.enabled) return { refusal: 'webhook_disabled', isFinal: appendedAt <= Date.parse(webhook.updatedAt) };
  if (state.organizations.get(webhook.orgId)?.suspended) return { refusal: 'organization_suspended', isFinal: false };
  return { webhook };
}
