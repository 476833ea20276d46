/**
 * Snapshots of the control state, so that a start does not reduce every command from the first on. Any node may write
 * one: the state at an offset is the same on all of them. Each has a unique name, so that two nodes never write into
 * the same one; the newest complete one is used.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ControlState } from '#schemas/domain/control/state';
import { CONTROL_STATE_VERSION, packPieces, piecesOf, unpackState } from '#schemas/domain/control/state-snapshot';
import { commandTopic, stateTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { EventLog } from '../log/log.ts';
import type { Snapshot } from '../stages/snapshot.ts';
import { SnapshotTopic, type StoredSnapshot } from '../stages/snapshot-topic.ts';

const COMMANDS = `${commandTopic.name}/0`;
/**
 * Number of retained snapshots: the newest, and the one before for a node that is reading it or cannot read the newest.
 */
const SNAPSHOTS_RETAINED = 2;

export interface ControlSnapshotsOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

export interface LoadedControlState {
  readonly state: ControlState;
  /** Offset of the first command that is not in the state. */
  readonly next: number;
}

export class ControlSnapshots {
  private readonly topic: SnapshotTopic;
  private readonly logger: Logger;

  private constructor(topic: SnapshotTopic, logger: Logger) {
    this.topic = topic;
    this.logger = logger;
  }

  static async open({ log, codec, logger }: ControlSnapshotsOptions): Promise<ControlSnapshots> {
    const topic = await SnapshotTopic.open({ log, codec, logger, topic: stateTopic('control'), isShared: true });
    return new ControlSnapshots(topic, logger);
  }

  /** Loads the newest snapshot that is complete, readable and of this version of the state; null if there is none. */
  async load(): Promise<LoadedControlState | null> {
    const stored = await this.topic.list(() => true);
    for (const candidate of newestFirst(stored.filter(isUsable))) {
      const snapshot = await this.topic.read<readonly Uint8Array[]>(candidate);
      const next = snapshot?.offsets.get(COMMANDS);
      if (!snapshot || next === undefined) continue;
      try {
        return { state: unpackState(snapshot.state), next };
      } catch (error) {
        this.logger.warn({ snapshot: candidate.name, error }, 'could not read a snapshot of the control state');
      }
    }
    return null;
  }

  /** Offset of the newest complete snapshot; 0 if there is none. */
  async newest(): Promise<number> {
    const stored = await this.topic.list(() => false);
    return Math.max(0, ...stored.filter(isUsable).map(({ manifest }) => manifest!.generation));
  }

  /**
   * Stores the state as it is when this is called, and removes older snapshots. The state may change meanwhile.
   *
   * @param next offset of the first command that is not in the state.
   * @param receivedAt of the newest command in the state.
   */
  async save(state: ControlState, next: number, receivedAt: number): Promise<void> {
    const pieces = await packPieces(piecesOf(state));
    const none = new Map<string, number>();
    const snapshot: Snapshot<readonly Uint8Array[]> = {
      state: pieces,
      offsets: new Map([[COMMANDS, next]]),
      inputSeqs: none,
      outputSeqs: none,
      receivedAt,
    };
    await this.topic.write(`${next}-${randomUUID()}`, next, snapshot, CONTROL_STATE_VERSION);
    const stored = await this.topic.list(() => false);
    const retained = new Set(newestFirst(stored.filter(isUsable)).slice(0, SNAPSHOTS_RETAINED));
    // A snapshot that another node is still writing has a later offset, or is not worth retaining.
    for (const old of stored) if (!retained.has(old) && nextOf(old) <= next) await this.topic.remove(old.keys);
  }
}

/** The offset in the name, which is known before the manifest is written. */
function nextOf({ name }: StoredSnapshot): number {
  return Number.parseInt(name, 10);
}

function isUsable({ manifest }: StoredSnapshot): boolean {
  return manifest?.stateVersion === CONTROL_STATE_VERSION;
}

function newestFirst(stored: readonly StoredSnapshot[]): StoredSnapshot[] {
  return [...stored].sort((a, b) => b.manifest!.generation - a.manifest!.generation);
}
