/**
 * Snapshots of the control state, so that a start does not reduce every command there ever was. Every node may take one:
 * the state at an offset is the same on all of them. Each stands under a name of its own, so that two nodes never write
 * into one another's; the newest whole one counts.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ControlState } from '#schemas/domain/control/state';
import { CONTROL_STATE_VERSION, packPieces, piecesOf, unpackState } from '#schemas/domain/control/state-rows';
import { commandTopic, stateTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { EventLog } from '../log/log.ts';
import type { Snapshot } from '../stages/snapshot.ts';
import { SnapshotTopic, type StoredSnapshot } from '../stages/snapshot-topic.ts';

const COMMANDS = `${commandTopic.name}/0`;
/** The newest, and the one before for whoever is reading it, or cannot read the newest. */
const KEPT = 2;

export interface ControlSnapshotsOptions {
  readonly log: EventLog;
  readonly codec: Codec;
  readonly logger: Logger;
}

export interface LoadedControlState {
  readonly state: ControlState;
  /** Of the first command that is not in the state. */
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

  /** The newest that is whole, can be read and is of this version of the state; null without one. */
  async load(): Promise<LoadedControlState | null> {
    const stored = await this.topic.list(() => true);
    for (const candidate of newestFirst(stored.filter(isUsable))) {
      const snapshot = await this.topic.read<readonly Uint8Array[]>(candidate);
      const next = snapshot?.offsets.get(COMMANDS);
      if (!snapshot || next === undefined) continue;
      try {
        return { state: unpackState(snapshot.state), next };
      } catch (error) {
        this.logger.warn({ snapshot: candidate.name, error }, 'a snapshot of the control state cannot be read');
      }
    }
    return null;
  }

  /** Where the newest whole one stands; 0 without one. */
  async newest(): Promise<number> {
    const stored = await this.topic.list(() => false);
    return Math.max(0, ...stored.filter(isUsable).map(({ manifest }) => manifest!.generation));
  }

  /**
   * Keeps the state as it is when this is called, and removes older ones. It may go on changing meanwhile.
   *
   * @param next offset of the first command that is not in it.
   * @param receivedAt of the newest command in it.
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
    const kept = new Set(newestFirst(stored.filter(isUsable)).slice(0, KEPT));
    // What another node is still writing stands further on, or is not worth keeping.
    for (const old of stored) if (!kept.has(old) && nextOf(old) <= next) await this.topic.remove(old.keys);
  }
}

/** The offset in the name, which is there before the manifest is. */
function nextOf({ name }: StoredSnapshot): number {
  return Number.parseInt(name, 10);
}

function isUsable({ manifest }: StoredSnapshot): boolean {
  return manifest?.stateVersion === CONTROL_STATE_VERSION;
}

function newestFirst(stored: readonly StoredSnapshot[]): StoredSnapshot[] {
  return [...stored].sort((a, b) => b.manifest!.generation - a.manifest!.generation);
}
