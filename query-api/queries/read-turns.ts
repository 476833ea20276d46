/**
 * Runs reads of the store one at a time, in turns of the organizations for which they are: behind the read that runs, an
 * organization waits for at most one read of each other one.
 */
import { unavailable } from '#schemas/errors';

interface WaitingRead {
  readonly start: () => void;
}

export interface ReadTurnsOptions {
  /** Reads that wait, of one organization and of all. */
  readonly perOrganization: number;
  readonly total: number;
  /** How long a read may take with its wait, ms. */
  readonly timeoutMs: number;
}

export class ReadTurns {
  private readonly options: ReadTurnsOptions;
  /** Waiting reads by organization, the oldest first; the organization with the next turn is first. */
  private readonly waiting = new Map<string, Set<WaitingRead>>();
  private total = 0;
  private isRunning = false;

  constructor(options: ReadTurnsOptions) {
    this.options = options;
  }

  /**
   * Runs a read in the turn of an organization. Rejects as it does, or with an `ApiError` (503) if too many reads wait or
   * it takes too long. A read that has begun then keeps its turn until it has ended.
   */
  run<T>(orgId: string, read: () => Promise<T>): Promise<T> {
    const { perOrganization, total, timeoutMs } = this.options;
    const own = this.waiting.get(orgId)?.size ?? 0;
    if (own >= perOrganization) return Promise.reject(unavailable(`${own} reads of your organization wait; try again`));
    if (this.total >= total) return Promise.reject(unavailable('too many reads wait; try again'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.remove(orgId, entry);
        reject(unavailable(`the read took longer than ${timeoutMs / 1000} s; try again`));
      }, timeoutMs);
      const entry: WaitingRead = {
        start: () => {
          this.isRunning = true;
          Promise.resolve()
            .then(read)
            .then(resolve, reject)
            .finally(() => {
              clearTimeout(timer);
              this.isRunning = false;
              this.startNext();
            });
        },
      };
      this.add(orgId, entry);
      this.startNext();
    });
  }

  private add(orgId: string, entry: WaitingRead): void {
    const own = this.waiting.get(orgId);
    if (own) own.add(entry);
    else this.waiting.set(orgId, new Set([entry]));
    this.total += 1;
  }

  private remove(orgId: string, entry: WaitingRead): void {
    const own = this.waiting.get(orgId);
    if (!own?.delete(entry)) return;
    this.total -= 1;
    if (own.size === 0) this.waiting.delete(orgId);
  }

  private startNext(): void {
    const [next] = this.waiting;
    if (this.isRunning || !next) return;
    const [orgId, own] = next;
    const [entry] = own;
    this.remove(orgId, entry!);
    // The organization moves behind all others that wait.
    if (this.waiting.delete(orgId)) this.waiting.set(orgId, own);
    entry!.start();
  }
}
