import type { CommandType } from './command.ts';
import { bindWallet } from './commands/bind-wallet.ts';
import { changeOrganization } from './commands/change-organization.ts';
import { changeWebhook } from './commands/change-webhook.ts';
import { closeSession } from './commands/close-session.ts';
import { createKey } from './commands/create-key.ts';
import { createOrganization } from './commands/create-organization.ts';
import { createPlatformAttribution } from './commands/create-platform-attribution.ts';
import { createWebhook } from './commands/create-webhook.ts';
import { deleteOrganization } from './commands/delete-organization.ts';
import { deletePlatformAttribution } from './commands/delete-platform-attribution.ts';
import { deleteWebhook } from './commands/delete-webhook.ts';
import { disableWebhook } from './commands/disable-webhook.ts';
import { openSession } from './commands/open-session.ts';
import { recoverWebhook } from './commands/recover-webhook.ts';
import { redeliverWebhook } from './commands/redeliver-webhook.ts';
import { revokeKey } from './commands/revoke-key.ts';
import { rotateWebhookSecret } from './commands/rotate-webhook-secret.ts';
import { seedAdminKey } from './commands/seed-admin-key.ts';
import { testWebhook } from './commands/test-webhook.ts';
import { unbindWallet } from './commands/unbind-wallet.ts';

/** Every type of command, by name. */
export const COMMAND_TYPES: ReadonlyMap<string, CommandType<unknown, unknown>> = new Map(
  [
    seedAdminKey,
    createKey,
    revokeKey,
    createOrganization,
    changeOrganization,
    deleteOrganization,
    bindWallet,
    unbindWallet,
    createPlatformAttribution,
    deletePlatformAttribution,
    createWebhook,
    changeWebhook,
    disableWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    redeliverWebhook,
    recoverWebhook,
    openSession,
    closeSession,
  ].map((command) => [command.type, command as unknown as CommandType<unknown, unknown>]),
);
