/**
 * Plays a recording through the publisher that live feeds go through. The records are a function of the lines alone, so
 * that a playback that was cut off anywhere goes on with the same numbers (design, "Effectively once").
 */
import { setTimeout as sleep, setImmediate as yieldToIo } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Venue } from '#schemas/domain/providers';
import { RecordingError } from '#schemas/domain/recording';
import type { ClockMark } from '#schemas/topics/control';
import { recordedMarks } from '../clock/clock-marks.ts';
import type { Publisher } from '../publisher/publisher.ts';
import { mergeLines, type PlacedLine } from './merge-lines.ts';

/** A timer's longest wait; over a longer silence it is set again. */
const WAIT_MAX_MS = 60_000;
/** Broken lines told one by one; the rest are counted at the end. */
const BROKEN_TOLD_MAX = 10;

export interface PlayOptions {
  readonly folder: string;
  readonly publisher: Publisher;
  readonly logger: Logger;
  /** 1 as it happened, 2 twice as fast, 0 as fast as the log takes it. */
  readonly speed: number;
  /** Ends the playback early, without its last records: it goes on from there next time. */
  readonly signal: AbortSignal;
  /** Told when the first line is on its way. */
  readonly onBegun?: () => void;
}

export interface PlayedRecording {
  readonly lines: number;
  /** False when the signal ended it. */
  readonly ended: boolean;
}

/** Plays every line; resolves when all of it is in the log. Rejects with a `RecordingError` that names file and line. */
export async function playRecording(options: PlayOptions): Promise<PlayedRecording> {
  const player = new Player(options);
  for await (const batch of mergeLines(options.folder)) {
    for (const line of batch) {
      // Both waits are rare: without them a line costs no promise.
      if (options.publisher.pressed) await player.room();
      if (options.speed > 0) await player.pace(line.at);
      if (options.signal.aborted) return { lines: player.lines, ended: false };
      player.play(line);
    }
    await yieldToIo();
  }
  return player.end();
}

class Player {
  private readonly options: PlayOptions;
  private readonly publisher: Publisher;
  private readonly sources = new Map<string, Venue>();
  /** Time of the newest line. */
  private lastAt: number | null = null;
  lines = 0;
  private broken = 0;
  /** Where recorded and running time were laid together. */
  private origin: { readonly recorded: number; readonly wall: number } | null = null;
  /** Marks between the newest line and the next, as far as they are not written; null when they are not looked at. */
  private marks: Iterator<ClockMark> | null = null;
  private mark: ClockMark | null = null;

  constructor(options: PlayOptions) {
    this.options = options;
    this.publisher = options.publisher;
  }

  play(line: PlacedLine): void {
    const { at, source, venue, request, payload } = line;
    for (let mark = this.nextMark(at); mark; mark = this.nextMark(at)) this.write(mark);
    this.marks = null;
    this.lastAt = at;
    if (this.lines === 0) this.options.onBegun?.();
    this.lines += 1;
    if (!line.wellFormed) this.tellBroken(line);
    if (!this.sources.has(source)) {
      this.sources.set(source, venue);
      this.publisher.feedEvent({ venue, feed: source, kind: 'recorded', reason: null, receivedAt: at });
    }
    this.publisher.receive({ source, feed: source, payload, receivedAt: at, ...(request === null ? {} : { request }) });
  }

  /** Waits until `at` is due, marking the time that passes on the way. What the log holds already is not waited for. */
  async pace(at: number): Promise<void> {
    if (at <= this.publisher.keptUntil) return;
    this.origin ??= { recorded: Math.max(this.lastAt ?? at, this.publisher.keptUntil), wall: Date.now() };
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
    // After everything of the last millisecond, whatever the names of the topics.
    const endedAt = this.lastAt + 1;
    for (const [feed, venue] of [...this.sources].sort())
      this.publisher.feedEvent({ venue, feed, kind: 'ended', reason: null, receivedAt: endedAt });
    // Nothing more will come, so that what is last can be taken too.
    this.publisher.end(endedAt + 1);
    if (this.broken > 0) this.options.logger.warn({ lines: this.broken }, 'broken lines in the recording');
    await this.publisher.flush();
    return { lines: this.lines, ended: true };
  }

  /** Waits until the log takes more, or the playback is to end. */
  async room(): Promise<void> {
    const { signal } = this.options;
    await this.publisher.whenReady(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** The next mark between the newest line and one at `at` that is not written yet. */
  private nextMark(at: number): ClockMark | null {
    if (this.lastAt === null) return null;
    this.marks ??= recordedMarks(this.lastAt, at);
    this.mark ??= this.marks.next().value ?? null;
    return this.mark;
  }

  private write(mark: ClockMark): void {
    this.mark = null;
    this.publisher.mark(mark);
  }

  private async waitUntil(at: number): Promise<void> {
    const { origin } = this;
    const { speed, signal } = this.options;
    if (!origin) return;
    const due = origin.wall + (at - origin.recorded) / speed;
    for (let left = due - Date.now(); left > 0; left = due - Date.now()) {
      // What was played so far need not wait for what is to come.
      this.publisher.promise(at);
      await sleep(Math.min(left, WAIT_MAX_MS), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  private tellBroken(line: PlacedLine): void {
    this.broken += 1;
    if (this.broken > BROKEN_TOLD_MAX) return;
    const { file, line: number } = line;
    this.options.logger.warn({ file, line: number }, 'a broken line of the recording is kept as it is');
  }
}
