/** Decides when snapshots of the control state are written. */
import type { Logger } from 'pino';
import type { ControlState } from '#schemas/domain/control/state';
import { pause } from '../runtime/pause.ts';
import type { ControlSnapshots } from './control-snapshots.ts';

export interface SnapshotPace {
  /** How often it is checked if one is due. Up to the same time is added at random, so that nodes take turns. */
  readonly intervalMs: number;
  /** Number of commands after which a snapshot is due. */
  readonly commands: number;
}

/** A start reduces the commands since the newest snapshot; this many take a fraction of a second. */
const SNAPSHOT_PACE: SnapshotPace = { intervalMs: 30_000, commands: 10_000 };

export interface ControlSnapshotWriterOptions {
  readonly snapshots: ControlSnapshots;
  readonly logger: Logger;
  /** Offset of the newest snapshot. */
  readonly from: number;
  readonly pace?: SnapshotPace;
  /** The state, the offset of the first command that is not in it, and the receive time of the newest command in it. */
  readonly now: () => { readonly state: ControlState; readonly next: number; readonly receivedAt: number };
}

export class ControlSnapshotWriter {
  private readonly options: ControlSnapshotWriterOptions;
  private readonly pace: SnapshotPace;
  private newest: number;

  constructor(options: ControlSnapshotWriterOptions) {
    this.options = options;
    this.pace = options.pace ?? SNAPSHOT_PACE;
    this.newest = options.from;
  }

  /** Runs until the signal aborts. A failed snapshot is retried; without one a start only takes longer. */
  async run(signal: AbortSignal): Promise<void> {
    while (await pause(this.pace.intervalMs * (1 + Math.random()), signal)) {
      try {
        await this.writeIfDue();
      } catch (error) {
        this.options.logger.warn({ error }, 'could not write a snapshot of the control state, will retry');
      }
    }
  }

  private async writeIfDue(): Promise<void> {
    const { snapshots, now } = this.options;
    if (!this.isDue()) return;
    // Another node may have written one.
    this.newest = Math.max(this.newest, await snapshots.newest());
    if (!this.isDue()) return;
    const { state, next, receivedAt } = now();
    await snapshots.save(state, next, receivedAt);
    this.newest = next;
  }

  private isDue(): boolean {
    return this.options.now().next - this.newest >= this.pace.commands;
  }
}
