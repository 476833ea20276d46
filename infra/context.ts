/** What every role is handed at its start; nothing reaches for a global. */
import type { Logger } from 'pino';
import type { Codec } from './codec/codec.ts';
import type { Settings } from './config/settings.ts';
import type { EventLog } from './log/log.ts';
import type { Store } from './store/store.ts';
import type { Health } from './telemetry/health.ts';
import type { Metrics } from './telemetry/metrics.ts';

export interface RoleContext {
  readonly settings: Settings;
  readonly log: EventLog;
  readonly store: Store;
  readonly codec: Codec;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
}

/**
 * A started role. `close` stops taking input, finishes what was taken, and resolves. A role, or a part of one, that
 * cannot go on in this process says so by `Health.failed`, and the process ends.
 */
export interface Running {
  close(): Promise<void>;
}

/** Each role folder exports one `start` of this shape from its `start.ts`. */
export type StartRole = (context: RoleContext) => Promise<Running>;
