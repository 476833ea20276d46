/**
 * Runs only the webhook sender, as in the service and under its lease, on the log of a folder. The benchmark kills it.
 */
import { startWebhooks } from '#stream-gateway/webhooks/start';
import { loadSettings } from '../../../config/settings.ts';
import { closeInReverse } from '../../../runtime/closing.ts';
import { openLogContext } from '../webhooks/open-log.ts';

export interface SenderCall {
  readonly path: string;
  /** As in the settings. */
  readonly schedule: string;
  readonly timeoutMs: number;
}

/** Sent periodically once the sender is ready. */
export interface SenderReport {
  /** Deliveries that wait or are in flight. */
  readonly pending: number;
}

const REPORT_INTERVAL_MS = 100;

let close = async (): Promise<void> => {};

process.once('message', async ({ path, schedule, timeoutMs }: SenderCall) => {
  const settings = loadSettings([], {
    PARALLAX_WEBHOOK_ALLOW_LOOPBACK: 'true',
    PARALLAX_WEBHOOK_SCHEDULE: schedule,
    PARALLAX_WEBHOOK_TIMEOUT_MS: String(timeoutMs),
  });
  const context = { settings, ...(await openLogContext(path)) };
  const { health, metrics, log } = context;
  const webhooks = await startWebhooks(context);
  const reporting = setInterval(async () => {
    const { status, parts } = health.report();
    const [pending] = (await metrics.webhooksPending.get()).values;
    if (status !== 'ok' || parts.webhooks !== 'ready' || !process.connected) return;
    process.send!({ pending: pending!.value } satisfies SenderReport);
  }, REPORT_INTERVAL_MS);
  close = () => {
    clearInterval(reporting);
    return closeInReverse([() => log.close(), () => webhooks.close()]);
  };
});
process.once('disconnect', () => void close().finally(() => process.exit()));
