/** The health that `/health` reports: `ok` only if every reported part is ready. */

/** How far a stage is behind the pipeline's clock. */
export interface Backlog {
  readonly stage: string;
  /** Seconds of event time. */
  readonly lagSeconds: number;
  /** Records that it has not processed yet; null if the log does not know. */
  readonly records: number | null;
  /** Records that it processes a second; null at first. */
  readonly recordsPerSecond: number | null;
  /** Seconds until it has caught up at the pace of the last seconds; null unless the lag shrinks steadily. */
  readonly secondsLeft: number | null;
}

export interface WatchedBacklog {
  readonly backlog: Backlog;
  /** If true, the backlog makes the service `degraded`; a recording may be played faster than it is processed. */
  readonly isLive: boolean;
}

export interface HealthReport {
  readonly status: 'ok' | 'starting' | 'degraded';
  /** Every part and its state, as `ingest: ready` or `log: no room on the disk`. */
  readonly parts: Readonly<Record<string, string>>;
  /** Additional fields of `/health`, such as `playback: "ended"`. */
  readonly extras: Readonly<Record<string, string>>;
  /** Backlogs of stages that are behind. */
  readonly backlog: readonly Backlog[];
}

export interface Health {
  /** Declares a part that must become ready before the process is. */
  expect(part: string): void;
  ready(part: string): void;
  /** Marks a part as degraded, with a sentence for operators; `ready` or `recovered` clears it. */
  degraded(part: string, reason: string): void;
  /** Gives a degraded part the state back that it was in before: a part that was still starting is not ready yet. */
  recovered(part: string): void;
  /**
   * Marks a part as stopped permanently by a fault: nothing clears it, and the process has to end (see `failure`).
   * @param message a sentence for operators; the error itself is only in `failure`.
   */
  failed(part: string, error: unknown, message?: string): void;
  /**
   * Registers a function that every report calls to read a stage's backlog; null removes it.
   * @param read returns null while the stage is not behind.
   */
  watchBacklog(stage: string, read: (() => WatchedBacklog | null) | null): void;
  /** Adds a field to /health. */
  setExtra(field: string, value: string): void;
  report(): HealthReport;
  /** Resolves with the first part that stopped permanently; otherwise stays pending. */
  readonly failure: Promise<PartFailedError>;
}

/** A part that cannot recover in this process, and why. */
export class PartFailedError extends Error {
  override name = 'PartFailedError';
  readonly code = 'part_failed';
  readonly canRetry = false;
  readonly part: string;
  constructor(part: string, cause: unknown) {
    super(`${part} stopped permanently: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.part = part;
  }
}

type State = 'starting' | 'ready' | 'degraded' | 'failed';

interface PartState {
  readonly state: State;
  readonly text: string;
  /** The state before a part became degraded. */
  readonly before?: PartState;
}

const STARTING: PartState = { state: 'starting', text: 'starting' };
const READY: PartState = { state: 'ready', text: 'ready' };

/** A failed part counts as degraded: the process is about to end. */
function statusOf(states: readonly State[], isBehind: boolean): HealthReport['status'] {
  if (states.includes('failed') || states.includes('degraded')) return 'degraded';
  if (states.includes('starting')) return 'starting';
  return isBehind ? 'degraded' : 'ok';
}

export function createHealth(): Health {
  const parts = new Map<string, PartState>();
  const extras = new Map<string, string>();
  const watched = new Map<string, () => WatchedBacklog | null>();
  let resolveFailure: (failure: PartFailedError) => void = () => {};
  const failure = new Promise<PartFailedError>((resolve) => {
    resolveFailure = resolve;
  });
  const set = (part: string, state: PartState) => {
    if (parts.get(part)?.state !== 'failed') parts.set(part, state);
  };
  return {
    failure,
    expect: (part) => set(part, STARTING),
    ready: (part) => set(part, READY),
    degraded(part, text) {
      const { state, before = READY } = parts.get(part) ?? {};
      set(part, { state: 'degraded', text, before: state === 'starting' ? STARTING : before });
    },
    recovered(part) {
      const { state, before = READY } = parts.get(part) ?? {};
      if (state === 'degraded') set(part, before);
    },
    failed: (part, error, message = 'failed and stopped; see the log') => {
      set(part, { state: 'failed', text: message });
      resolveFailure(new PartFailedError(part, error));
    },
    watchBacklog(stage, read) {
      if (read) watched.set(stage, read);
      else watched.delete(stage);
    },
    setExtra: (field, value) => void extras.set(field, value),
    report() {
      const states = [...parts.values()].map((part) => part.state);
      const behind = [...watched.values()].flatMap((read) => read() ?? []);
      return {
        status: statusOf(
          states,
          behind.some(({ isLive }) => isLive),
        ),
        parts: Object.fromEntries([...parts].map(([name, { text }]) => [name, text])),
        extras: Object.fromEntries(extras),
        backlog: behind.map(({ backlog }) => backlog),
      };
    },
  };
}
