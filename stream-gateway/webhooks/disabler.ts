/** Disables webhooks whose endpoint is gone or fails, by a command that is retried until it has its verdict. */
import type { Logger } from 'pino';
import type { ControlReplica } from '#infra/control/control-replica';
import { isTransient, retry } from '#infra/runtime/retry';
import type { Webhook } from '#schemas/domain/control/state';

export interface DisablerOptions {
  readonly control: Pick<ControlReplica, 'submit'>;
  readonly logger: Logger;
  /** Rejects if another process holds the lease. */
  readonly confirmLease: () => Promise<void>;
  /** Stops the retries. */
  readonly signal: AbortSignal;
}

export class Disabler {
  private readonly options: DisablerOptions;
  /** Pending commands, by webhook and version. */
  private readonly pending = new Map<string, Promise<void>>();

  constructor(options: DisablerOptions) {
    this.options = options;
  }

  /**
   * Resolves once the command has its verdict. A webhook that its owner changed since `webhook` was read stays as it
   * is. Concurrent calls for the same webhook share one command.
   */
  disable(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
    const name = `${webhook.id} ${webhook.updatedAt}`;
    const pending = this.pending.get(name) ?? this.submit(webhook, reason).finally(() => this.pending.delete(name));
    this.pending.set(name, pending);
    return pending;
  }

  private async submit({ id, updatedAt }: Webhook, reason: 'gone' | 'failing'): Promise<void> {
    const { control, logger, confirmLease, signal } = this.options;
    const disable = async () => {
      // Commands are accepted from any process, and one that lost its lease may have seen failures that are none.
      await confirmLease();
      return control.submit('webhook.disable', { webhookId: id, updatedAt, reason });
    };
    const verdict = await retry(disable, {
      // Repeating the command is safe: the second one finds the webhook disabled.
      canRetry: (error) => !signal.aborted && isTransient(error, 'verdict_timeout'),
      onFailure: (error, failures) => {
        if (failures === 1) logger.warn({ webhookId: id, error }, 'could not disable a webhook, retrying');
      },
      signal,
    });
    if (verdict.ok) logger.info({ webhookId: id, reason }, 'webhook disabled');
    // The webhook was deleted meanwhile.
    else logger.info({ webhookId: id, reason, refusal: verdict.code }, 'webhook not disabled');
  }
}
