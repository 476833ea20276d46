/** Decides when ingest is ready, and reports it to `/health`. */
import type { Logger } from 'pino';
import type { LogError } from '#infra/log/log';
import type { Health } from '#infra/telemetry/health';
import { MonotonicClock } from './publisher/monotonic-clock.ts';

const PART = 'ingest';
/** Part of `/health` that is degraded while the machine's clock is behind event time. Everything works meanwhile. */
export const CLOCK_PART = 'clock';
/** A clock that is further behind is reported, until it is behind by less than half of this. */
const CLOCK_BEHIND_MS = 5_000;

/** A start waits for the first data of a part for this long: the venue may be away for hours. */
const WAIT_MAX_MS = 120_000;

/** Waits for named parts, and reports when the log accepts no records. */
export class Readiness {
  private readonly health: Health;
  private readonly logger: Logger;
  private readonly missing = new Set<string>();
  private logFault: string | null = null;
  private failed = false;
  private isClockBehind = false;

  constructor(health: Health, logger: Logger) {
    this.health = health;
    this.logger = logger;
    health.expect(PART);
  }

  /**
   * Adds a part that must have data before ingest is ready, for at most two minutes. The caller calls the returned
   * function when it has.
   */
  expect(part: string): () => void {
    this.missing.add(part);
    const timer = setTimeout(() => {
      this.missing.delete(part);
      this.logger.warn({ part, missing: [...this.missing] }, 'no data of an ingest part received; not waiting for it');
      this.updateHealth();
    }, WAIT_MAX_MS);
    timer.unref();
    return () => {
      clearTimeout(timer);
      if (!this.missing.delete(part)) return;
      this.logger.info({ part, missing: [...this.missing] }, 'first data of an ingest part received');
      this.updateHealth();
    };
  }

  /** Called with the error when the log stops accepting records, and with null when it accepts them again. */
  readonly logStatus = (error: LogError | null): void => {
    this.logFault =
      error === null
        ? null
        : error.code === 'log_full'
          ? 'the disk of the log is full; ingest is paused until there is room'
          : 'the log is unreachable; ingest is paused until it is reachable';
    if (error) this.logger.error({ error }, this.logFault ?? '');
    else this.logger.info('the log accepts records again');
    this.updateHealth();
  };

  /** Called with how far the machine's clock is behind event time, ms. */
  readonly clockBehind = (behindMs: number): void => {
    const wasBehind = this.isClockBehind;
    this.isClockBehind = behindMs > (wasBehind ? CLOCK_BEHIND_MS / 2 : CLOCK_BEHIND_MS);
    if (!this.isClockBehind) {
      if (wasBehind) this.health.ready(CLOCK_PART);
      return;
    }
    const text = clockText(behindMs);
    if (!wasBehind) this.logger.warn({ behindMs }, text);
    this.health.degraded(CLOCK_PART, text);
  };

  /** Reports that ingest cannot continue in this process. Only the first failure counts; later ones follow from it. */
  fail(error: Error): void {
    if (this.failed) return;
    this.failed = true;
    this.logger.error({ error }, `ingest failed: ${error.message}`);
    this.health.failed(PART, error, error.message);
  }

  private updateHealth(): void {
    if (this.failed) return;
    if (this.logFault) this.health.degraded(PART, this.logFault);
    else if (this.missing.size === 0) this.health.ready(PART);
    else this.health.expect(PART);
  }
}

function clockText(behindMs: number): string {
  const behind = Math.round(behindMs / 1_000);
  const hours = MonotonicClock.catchUpMs(behindMs) / 3_600_000;
  const level = hours < 1 ? `${Math.ceil(hours * 60)} minutes` : `${Math.ceil(hours)} hours`;
  return `the machine's clock is ${behind} s behind the time of the log, which runs 10 percent slower until both agree in about ${level}: correct the clock if it is wrong; if the log was written with a wrong clock, wait or use another --data-dir`;
}
