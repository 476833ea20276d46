import type { RoleContext, Running } from '#infra/context';
import { createAuthenticator } from '#infra/control/authenticator';
import { openControlHost } from '#infra/control/control-host';
import { seedAdminKey } from '#infra/control/seed';
import { runStage } from '#infra/stages/run-stage';
import { buildApp } from './app.ts';
import { viewsStage } from './views/views.ts';

export interface RunningQueryApi extends Running {
  /** Base address that it listens on. */
  readonly address: string;
  /** Lines to print once: the admin token, where one was made here. */
  readonly announcements: readonly string[];
}

/** Serves REST. Ready once the views hold everything that the log held at the start. */
export async function start(context: RoleContext): Promise<RunningQueryApi> {
  const { log, codec, logger, metrics, health, settings, store } = context;
  health.expect('query-api');
  const control = await openControlHost(context);
  const authenticator = createAuthenticator(control);
  const minted = await seedAdminKey({
    host: control,
    authenticator,
    logger,
    adminToken: settings.adminToken,
    plan: settings.plan,
  });
  const views = await runStage({ stage: viewsStage, log, codec, logger, metrics, health, mode: 'view' });
  await views.caughtUp;
  const app = await buildApp({ settings, store, views: views.state, health, metrics, authenticator, logger });
  const address = await app.listen({ host: settings.host, port: settings.httpPort });
  health.ready('query-api');
  return {
    address,
    announcements: minted ? [`Admin key  ${minted} (shown once; keep it)`] : [],
    async close() {
      await app.close();
      await views.close();
      await control.close();
    },
  };
}
