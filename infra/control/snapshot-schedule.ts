/** When snapshots of the control state are taken. */
import type { Logger } from 'pino';
import type { ControlState } from '#schemas/domain/control/state';
import { pause } from '../pause.ts';
import type { ControlSnapshots } from './control-snapshots.ts';

export interface SnapshotPace {
  /** How often it is looked whether one is due. Up to as much again by chance, so that nodes take turns. */
  readonly intervalMs: number;
  /** One is due after so many commands. */
  readonly commands: number;
}

/** A start reduces the commands since the newest snapshot, which takes a fraction of a second for so many. */
export const SNAPSHOT_PACE: SnapshotPace = { intervalMs: 30_000, commands: 10_000 };

export interface SnapshotScheduleOptions {
  readonly snapshots: ControlSnapshots;
  readonly logger: Logger;
  /** Where the newest snapshot stands. */
  readonly from: number;
  readonly pace?: SnapshotPace;
  /** The state, where it stands (the first command that is not in it), and the receive time of the newest one in it. */
  readonly now: () => { readonly state: ControlState; readonly next: number; readonly receivedAt: number };
}

export class SnapshotSchedule {
  private readonly options: SnapshotScheduleOptions;
  private readonly pace: SnapshotPace;
  private newest: number;

  constructor(options: SnapshotScheduleOptions) {
    this.options = options;
    this.pace = options.pace ?? SNAPSHOT_PACE;
    this.newest = options.from;
  }

  /** Goes on until the signal ends it. A snapshot that fails is tried again; without it a start only takes longer. */
  async run(signal: AbortSignal): Promise<void> {
    while (await pause(this.pace.intervalMs * (1 + Math.random()), signal)) {
      try {
        await this.takeIfDue();
      } catch (error) {
        this.options.logger.warn({ error }, 'no snapshot of the control state could be taken; trying again');
      }
    }
  }

  private async takeIfDue(): Promise<void> {
    const { snapshots, now } = this.options;
    if (!this.isDue()) return;
    // Another node may have taken one.
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
