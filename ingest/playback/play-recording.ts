/**
 * Plays a recording through the publisher that live feeds use. The records are a function of the lines alone, so an
 * interrupted playback continues with the same sequence numbers.
 */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Venue } from '#schemas/domain/providers';
import { RecordingError } from '#schemas/domain/recording';
import type { ClockMark } from '#schemas/topics/control';
import { EXPORT_TOPICS, type FeedEvent } from '#schemas/topics/raw';
import { recordedMarks } from '../clock/clock-marks.ts';
import { compressExport, publishExport } from '../exports/publish-export.ts';
import type { Publisher, Received } from '../publisher/publisher.ts';
import { type LocatedLine, mergeLines } from './merge-lines.ts';

/** Longest wait of one timer; a longer silence takes several. */
const WAIT_MAX_MS = 60_000;
/** Broken lines that are logged one by one; the rest are counted at the end. */
const BROKEN_LOGGED_MAX = 10;

export interface PlayOptions {
  readonly folder: string;
  readonly publisher: Publisher;
  readonly logger: Logger;
  /** 1 plays in real time, 2 twice as fast, 0 as fast as the log accepts it. */
  readonly speed: number;
  /** Stops the playback early. The next run continues from there. */
  readonly signal: AbortSignal;
  /** Called when the first line is published. */
  readonly onStarted?: () => void;
  /** Called again and again with the recorded time of the newest line, unix ms. */
  readonly onPlayed?: (at: number) => void;
}

export interface PlayedRecording {
  readonly lines: number;
  /** False if the signal stopped it. */
  readonly ended: boolean;
}

/** Plays every line. Resolves when all are in the log. Rejects with a `RecordingError` that names file and line. */
export async function playRecording(options: PlayOptions): Promise<PlayedRecording> {
  const player = new Player(options);
  for await (const batch of mergeLines(options.folder)) {
    for (const line of batch) {
      // Awaited only when needed, so that most lines cost no promise.
      if (options.publisher.paused) await player.waitForRoom();
      if (options.speed > 0) await player.pace(line.at);
      if (options.signal.aborted) return { lines: player.lines, ended: false };
      if (line.life === null && EXPORT_TOPICS.has(`raw.${line.source}`)) await player.playExport(line);
      else player.play(line);
    }
    const newest = batch.at(-1);
    if (newest) options.onPlayed?.(newest.at);
    await yieldToIo();
  }
  return player.end();
}

class Player {
  private readonly options: PlayOptions;
  private readonly publisher: Publisher;
  /** Connections that are open, with their venue, and those that are lost. */
  private readonly open = new Map<string, Venue>();
  private readonly lost = new Set<string>();
  /** Time of the newest line. */
  private lastAt: number | null = null;
  lines = 0;
  private broken = 0;
  /** The recorded time and the wall time that correspond. */
  private origin: { readonly recorded: number; readonly startedAt: number } | null = null;
  /** Unwritten clock marks between the newest line and the next; null until they are needed. */
  private marks: Iterator<ClockMark> | null = null;
  private mark: ClockMark | null = null;

  constructor(options: PlayOptions) {
    this.options = options;
    this.publisher = options.publisher;
  }

  play(line: LocatedLine): void {
    const { payload, life } = line;
    const place = this.begin(line);
    if (life === null) this.publisher.receive({ ...place, payload });
  }

  /** Plays a line whose payload is stored in parts. */
  async playExport(line: LocatedLine): Promise<void> {
    const parts = await compressExport([Buffer.from(line.payload)]);
    await publishExport(this.publisher, this.begin(line), parts);
  }

  /** Publishes what comes before a line. Returns what is published with its payload. */
  private begin(line: LocatedLine): Omit<Received, 'payload'> {
    const { at, source, feed, request } = line;
    for (let mark = this.nextMark(at); mark; mark = this.nextMark(at)) this.write(mark);
    this.marks = null;
    this.lastAt = at;
    if (this.lines === 0) this.options.onStarted?.();
    this.lines += 1;
    if (!line.wellFormed) this.logBrokenLine(line);
    this.changeConnection(line);
    return { source, feed, receivedAt: at, ...(request === null ? {} : { request }) };
  }

  /** Publishes the change of a connection that a line reports, or that its first line shows. */
  private changeConnection({ at, venue, feed, life }: LocatedLine): void {
    const publish = (kind: FeedEvent['kind']) =>
      this.publisher.publishFeedEvent({ venue, feed, kind, reason: null, receivedAt: at });
    if (life === 'connected') publish('connected');
    // One that is lost by its first line was not open: ingest states that at its start, since a killed process did not.
    const isNew = !this.open.has(feed) && !this.lost.has(feed) && life !== 'disconnected';
    if (isNew || life === 'connected') {
      // Silence means nothing in a recording.
      publish('recorded');
      this.open.set(feed, venue);
      this.lost.delete(feed);
    }
    if (life !== 'disconnected') return;
    publish('disconnected');
    this.open.delete(feed);
    this.lost.add(feed);
  }

  /** Waits until `at` is due, and writes the clock marks before it. Does not wait for records that the log holds. */
  async pace(at: number): Promise<void> {
    if (at <= this.publisher.storedUntil) return;
    this.origin ??= { recorded: Math.max(this.lastAt ?? at, this.publisher.storedUntil), startedAt: performance.now() };
    for (let mark = this.nextMark(at); mark; mark = this.nextMark(at)) {
      await this.waitUntil(mark.receivedAt);
      if (this.options.signal.aborted) return;
      this.write(mark);
    }
    await this.waitUntil(at);
  }

  async end(): Promise<PlayedRecording> {
    if (this.lastAt === null)
      throw new RecordingError('recording_empty', `the recording ${this.options.folder} has no line`);
    // Later than every record of the last millisecond, so that the merge order does not matter.
    const endedAt = this.lastAt + 1;
    for (const [feed, venue] of [...this.open].sort())
      this.publisher.publishFeedEvent({ venue, feed, kind: 'ended', reason: null, receivedAt: endedAt });
    // Passes the watermark over the last records, so that stages process them too.
    this.publisher.endRecording(endedAt + 1);
    if (this.broken > 0) this.options.logger.warn({ lines: this.broken }, 'the recording has broken lines');
    await this.publisher.flush();
    return { lines: this.lines, ended: true };
  }

  /** Waits until the log accepts more, or the playback is stopped. */
  async waitForRoom(): Promise<void> {
    const { signal } = this.options;
    await this.publisher.whenReady(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** The next unwritten clock mark between the newest line and one at `at`. */
  private nextMark(at: number): ClockMark | null {
    if (this.lastAt === null) return null;
    this.marks ??= recordedMarks(this.lastAt, at);
    this.mark ??= this.marks.next().value ?? null;
    return this.mark;
  }

  private write(mark: ClockMark): void {
    this.mark = null;
    this.publisher.publishClockMark(mark);
  }

  private async waitUntil(at: number): Promise<void> {
    const { origin } = this;
    const { speed, signal } = this.options;
    if (!origin) return;
    const due = origin.startedAt + (at - origin.recorded) / speed;
    for (let left = due - performance.now(); left > 0; left = due - performance.now()) {
      // Stages can process what was played so far without waiting for the next line.
      this.publisher.advanceTo(at);
      await sleep(Math.min(left, WAIT_MAX_MS), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  private logBrokenLine(line: LocatedLine): void {
    this.broken += 1;
    if (this.broken > BROKEN_LOGGED_MAX) return;
    const { file, line: number } = line;
    this.options.logger.warn({ file, line: number }, 'published a broken line of the recording unchanged');
  }
}
