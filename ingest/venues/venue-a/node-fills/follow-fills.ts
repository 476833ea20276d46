/**
 * Follows the files of fills of a self-hosted node and publishes each line. The position after a line is stored with it,
 * so that every line is published once, also after a kill.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import type { Running } from '#infra/runtime/context';
import { rawTopic } from '#schemas/topics/raw';
import type { Publisher } from '../../../publisher/publisher.ts';
import { NODE_FILES } from '../declaration.ts';
import { type FilePosition, fileAt, findKind, formatPosition, nextFile, parsePosition, pathOf } from './fill-files.ts';
import { LineTail, type TailLine } from './line-tail.ts';

const SOURCE = 'venue_a.node_fills';
const TOPIC = rawTopic('venue_a', 'node_fills');

export interface FollowFillsOptions {
  /** The output folder of the node. */
  readonly folder: string;
  readonly publisher: Pick<Publisher, 'receive' | 'whenReady' | 'paused'>;
  readonly log: Pick<EventLog, 'last'>;
  readonly codec: Pick<Codec, 'fetchSchema' | 'decode'>;
  readonly logger: Logger;
  readonly intervals?: typeof NODE_FILES;
  /** Current time, unix ms. */
  readonly now?: () => number;
}

/** Follows the files in the background until it is closed. */
export async function followFills(options: FollowFillsOptions): Promise<Running> {
  const follower = new FillFollower(options, await readPosition(options));
  return follower;
}

/** The position after the newest published line; null before a first start. */
async function readPosition({ log, codec }: FollowFillsOptions): Promise<FilePosition | null> {
  const newest = await log.last({ topic: TOPIC.name, partition: 0 });
  if (!newest?.value) return null;
  await codec.fetchSchema(newest.value);
  return parsePosition(codec.decode(TOPIC, newest.value).request ?? '');
}

class FillFollower implements Running {
  private readonly options: FollowFillsOptions;
  private readonly intervals: typeof NODE_FILES;
  private readonly now: () => number;
  private readonly closing = new AbortController();
  private readonly finished: Promise<void>;
  /** Null until the node writes a folder of fills. */
  private position: FilePosition | null;
  private tail: LineTail | null = null;
  /** When bytes were last read, ms of the monotonic clock. */
  private readAt = performance.now();
  private isWaiting = false;
  private isFailing = false;

  constructor(options: FollowFillsOptions, position: FilePosition | null) {
    this.options = options;
    this.position = position;
    this.intervals = options.intervals ?? NODE_FILES;
    this.now = options.now ?? Date.now;
    this.finished = this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.finished;
    await this.tail?.close();
  }

  private async run(): Promise<void> {
    const { publisher, logger } = this.options;
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        await publisher.whenReady(signal);
      } catch (error) {
        // Either this follower is closing, or the log failed permanently, which the publisher has reported.
        if (!signal.aborted) logger.error({ error }, 'the files of fills are not followed any more');
        return;
      }
      if (!(await this.retry(() => this.step()))) await this.rest(this.intervals.pollMs);
    }
  }

  /** Runs `work`. After a fault of the disk it returns false, and the next call tries again. */
  private async retry(work: () => Promise<boolean>): Promise<boolean> {
    try {
      const result = await work();
      this.isFailing = false;
      return result;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      if (!this.isFailing) this.options.logger.warn({ error }, 'could not read the files of fills, retrying');
      this.isFailing = true;
      await this.rest(this.intervals.retryMs);
      return false;
    }
  }

  /** Reads and publishes what the file has. False if there was nothing. */
  private async step(): Promise<boolean> {
    this.position ??= await this.firstPosition();
    if (!this.position) return false;
    this.tail ??= await LineTail.open(join(this.options.folder, pathOf(this.position)), this.position.offset);
    if (!this.tail) return this.moveOn();
    const { hasRead, lines } = await this.tail.read();
    for (const line of lines) this.publish(line);
    if (hasRead) {
      this.readAt = performance.now();
      return true;
    }
    if (await this.tail.isReplaced()) {
      this.options.logger.warn(
        { file: pathOf(this.position) },
        'a file of fills was replaced; reading it from its start',
      );
      await this.moveTo({ ...this.position, offset: 0 });
      return true;
    }
    return this.moveOn();
  }

  /** The start of the file of this hour; null while the node has no folder of fills. */
  private async firstPosition(): Promise<FilePosition | null> {
    const { folder, logger } = this.options;
    const kind = await findKind(folder);
    if (kind) return { ...fileAt(kind, this.now()), offset: 0 };
    if (!this.isWaiting) logger.warn({ folder }, 'the node has written no fills yet; waiting for its files');
    this.isWaiting = true;
    return null;
  }

  /**
   * Moves to the file of a later hour, or of the same one with blocks, once the file before has not grown for a while. A
   * line that was never completed is published as it is.
   */
  private async moveOn(): Promise<boolean> {
    const position = this.position!;
    const next = await nextFile(this.options.folder, position);
    const pending = this.tail?.pendingBytes ?? 0;
    const quietMs = performance.now() - this.readAt;
    const { hourQuietMs, lineQuietMs } = this.intervals;
    if (!next || (this.tail && quietMs < (pending > 0 ? lineQuietMs : hourQuietMs))) return false;
    if (pending > 0) {
      this.options.logger.warn({ file: pathOf(position) }, 'a file of fills ends within a line');
      this.publish(this.tail!.drainPending());
    }
    await this.moveTo({ ...next, offset: 0 });
    return true;
  }

  private async moveTo(position: FilePosition): Promise<void> {
    await this.tail?.close();
    this.tail = null;
    this.position = position;
    this.readAt = performance.now();
  }

  private publish({ bytes, nextOffset }: TailLine): void {
    this.position = { ...this.position!, offset: nextOffset };
    if (bytes.length === 0) return;
    const request = formatPosition(this.position);
    this.options.publisher.receive({ source: SOURCE, feed: SOURCE, request, payload: bytes });
  }

  private async rest(ms: number): Promise<void> {
    // An abort ends the wait early.
    await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => {});
  }
}
