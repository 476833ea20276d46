import { type RetryOptions, retry } from '../runtime/retry.ts';
import type { Health } from './health.ts';

/**
 * The problems of one part of `/health` that is used at several places at once. The part is degraded while at least one
 * operation fails; once each of them has succeeded or was given up, it is what it was before.
 */
export class OpenProblems {
  private readonly health: Pick<Health, 'degraded' | 'recovered'>;
  private readonly part: string;
  private readonly open = new Map<symbol, string>();

  constructor(health: Pick<Health, 'degraded' | 'recovered'>, part: string) {
    this.health = health;
    this.part = part;
  }

  /**
   * Repeats an operation like `retry`, and reports its failures until it ends.
   * @param messageOf a sentence for operators, from the error.
   */
  async retry<T>(
    operation: () => Promise<T>,
    messageOf: (error: unknown) => string,
    options: Omit<RetryOptions, 'onRecovered'>,
  ): Promise<T> {
    const problem = Symbol();
    const onFailure = (error: unknown, failures: number) => {
      options.onFailure?.(error, failures);
      this.open.set(problem, messageOf(error));
      this.report();
    };
    try {
      return await retry(operation, { ...options, onFailure });
    } finally {
      if (this.open.delete(problem)) this.report();
    }
  }

  private report(): void {
    const [message] = this.open.values();
    if (message === undefined) this.health.recovered(this.part);
    else this.health.degraded(this.part, message);
  }
}
