/** Disables webhooks whose endpoint is gone or fails, by a command that is tried until it has its verdict. */
import type { Logger } from 'pino';
import type { ControlHost } from '#infra/control/control-host';
import { mayPass, retry } from '#infra/retry';
import type { Webhook } from '#schemas/domain/control/state';

export interface DisablerOptions {
  readonly control: Pick<ControlHost, 'submit'>;
  readonly logger: Logger;
  /** Rejects when another process sends now. */
  readonly confirm: () => Promise<void>;
  /** Ends the retries. */
  readonly signal: AbortSignal;
}

export class Disabler {
  private readonly options: DisablerOptions;
  /** Commands under way, by webhook and version. */
  private readonly under = new Map<string, Promise<void>>();

  constructor(options: DisablerOptions) {
    this.options = options;
  }

  /**
   * Resolves once it is decided. A webhook that its owner changed since `webhook` was read stays as it is. Several that
   * ask for the same share one command.
   */
  disable(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
    const name = `${webhook.id} ${webhook.updatedAt}`;
    const under = this.under.get(name) ?? this.submit(webhook, reason).finally(() => this.under.delete(name));
    this.under.set(name, under);
    return under;
  }

  private async submit({ id, updatedAt }: Webhook, reason: 'gone' | 'failing'): Promise<void> {
    const { control, logger, confirm, signal } = this.options;
    const disable = async () => {
      // Commands are taken from any process. One that was stopped meanwhile has seen failures that are none.
      await confirm();
      return control.submit('webhook.disable', { webhookId: id, updatedAt, reason });
    };
    const verdict = await retry(disable, {
      // To ask twice does no harm: the second finds it disabled.
      canRetry: (error) => !signal.aborted && mayPass(error, 'verdict_timeout'),
      onFailure: (error, failures) => {
        if (failures === 1) logger.warn({ webhookId: id, error }, 'a webhook cannot be disabled yet; trying again');
      },
      signal,
    });
    if (verdict.ok) logger.info({ webhookId: id, reason }, 'webhook disabled');
    // It was deleted meanwhile.
    else logger.info({ webhookId: id, reason, refusal: verdict.code }, 'webhook not disabled');
  }
}
