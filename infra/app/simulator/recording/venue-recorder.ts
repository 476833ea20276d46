import type { SimulatedFeed } from '../simulation.ts';
import type { World } from '../world/world.ts';

/** What the recorder of a simulated venue is created from. */
export interface RecorderContext {
  readonly world: World;
  /** Start of the recording, unix ms. */
  readonly startMs: number;
  /** True if bars of the UTC day before are recorded at the start. */
  readonly earlierBars: boolean;
  /** The first accounts of the world whose fills until then are recorded at the start: so many; with the file of a builder if there are any. */
  readonly accountFills: number;
  /** True if what the venues state about every account is recorded after the first hour mark. */
  readonly accountStates: boolean;
  /** Returns the time at which the lines of the current step are received, unix ms. */
  readonly now: () => number;
  /** Adds a line to the file of a source, such as `venue_a.ws`. */
  readonly line: (source: string, atMs: number, text: string) => void;
}

/** Records what an adapter requests and receives from a simulated venue. */
export interface VenueRecorder {
  /** Publish into the recording. */
  readonly feeds: readonly SimulatedFeed[];
  /** Records the answers that an adapter requests at its start. */
  atStart(): Promise<void> | void;
  /** Records what it requests because of the step from this time on. */
  afterStep(fromMs: number): Promise<void> | void;
}

/**
 * Time after the hour at which the catalogs are recorded again: every automatic result of the hour is known by then.
 */
export const ANSWERS_AFTER_HOUR_MS = 90_000;

/** A line with the answer to a request. */
export function answerLine(source: string, atMs: number, request: unknown, text: string): string {
  return `{"at":${atMs},"source":"${source}","request":${JSON.stringify(request)},"data":${text}}`;
}

/** A line with a frame of a socket. */
export function frameLine(source: string, atMs: number, text: string): string {
  return `{"at":${atMs},"source":"${source}","data":${text}}`;
}
