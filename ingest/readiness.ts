/** When ingest is ready, and what it says in /health while it is not. */
import type { Logger } from 'pino';
import type { LogError } from '#infra/log/log';
import type { Health } from '#infra/telemetry/health';
import { SteadyClock } from './publisher/steady-clock.ts';

const PART = 'ingest';
/** Part of `/health` that is degraded while the machine's clock is behind; everything works nevertheless. */
export const CLOCK_PART = 'clock';
/** From here on a clock that is behind is told of, and until it is behind by half of it. */
const CLOCK_BEHIND_MS = 5_000;

/** Waits for its named parts, and tells when the log takes nothing. */
export class Readiness {
  private readonly health: Health;
  private readonly logger: Logger;
  private readonly missing = new Set<string>();
  private trouble: string | null = null;
  private failed = false;
  private isClockBehind = false;

  constructor(health: Health, logger: Logger) {
    this.health = health;
    this.logger = logger;
    health.expect(PART);
  }

  /** Names something that must have arrived first; call the answer when it has. */
  expect(part: string): () => void {
    this.missing.add(part);
    return () => {
      if (!this.missing.delete(part)) return;
      this.logger.info({ part, missing: [...this.missing] }, 'ingest has its first data');
      this.tell();
    };
  }

  /** The log takes nothing (the error says why), or takes records again (null). */
  readonly logTrouble = (error: LogError | null): void => {
    this.trouble =
      error === null
        ? null
        : error.code === 'log_full'
          ? 'the log has no room on the disk; nothing is taken in until there is'
          : 'the log cannot be reached; nothing is taken in until it can';
    if (error) this.logger.error({ error }, this.trouble ?? '');
    else this.logger.info('the log takes records again');
    this.tell();
  };

  /** How far the machine's clock is behind event time, ms. */
  readonly clockBehind = (behindMs: number): void => {
    const wasBehind = this.isClockBehind;
    this.isClockBehind = behindMs > (wasBehind ? CLOCK_BEHIND_MS / 2 : CLOCK_BEHIND_MS);
    if (!this.isClockBehind) {
      if (wasBehind) this.health.ready(CLOCK_PART);
      return;
    }
    const told = clockText(behindMs);
    if (!wasBehind) this.logger.warn({ behindMs }, told);
    this.health.degraded(CLOCK_PART, told);
  };

  /** Ingest cannot go on in this process. The first failure says why; the rest follow from it. */
  fail(error: Error): void {
    if (this.failed) return;
    this.failed = true;
    this.logger.error({ error }, `ingest stops: ${error.message}`);
    this.health.failed(PART, error, error.message);
  }

  private tell(): void {
    if (this.failed) return;
    if (this.trouble) this.health.degraded(PART, this.trouble);
    else if (this.missing.size === 0) this.health.ready(PART);
    else this.health.expect(PART);
  }
}

function clockText(behindMs: number): string {
  const behind = Math.round(behindMs / 1_000);
  const hours = SteadyClock.levelAfterMs(behindMs) / 3_600_000;
  const level = hours < 1 ? `${Math.ceil(hours * 60)} minutes` : `${Math.ceil(hours)} hours`;
  return `the machine's clock is ${behind} s behind the time of the log, which goes on a tenth slower and is level in about ${level}: set the clock if it is wrong; if the log was written with a wrong one, wait or take another --data-dir`;
}
