/** The dependencies that every role gets at its start; there are no globals. */
import type { Logger } from 'pino';
import type { Codec } from '../codec/codec.ts';
import type { Settings } from '../config/settings.ts';
import type { EventLog } from '../log/log.ts';
import type { Store } from '../store/store.ts';
import type { Health } from '../telemetry/health.ts';
import type { Metrics } from '../telemetry/metrics.ts';

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
 * A started role. `close` stops accepting input, finishes what was accepted, and resolves. A role, or a part of one,
 * that cannot continue in this process calls `Health.failed`, and the process ends.
 */
export interface Running {
  close(): Promise<void>;
}

/** Each role folder exports one `start` of this shape from its `start.ts`. */
export type StartRole = (context: RoleContext) => Promise<Running>;
