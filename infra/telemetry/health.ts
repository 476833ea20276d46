/** What `/health` tells: `ok` only when every part that reported is ready. */

export interface HealthReport {
  readonly status: 'ok' | 'starting' | 'degraded';
  /** Every part and its state, as `ingest: ready` or `log: no room on the disk`. */
  readonly parts: Readonly<Record<string, string>>;
  /** Free fields beside the specified ones, as `playback: "ended"`. */
  readonly extras: Readonly<Record<string, string>>;
}

export interface Health {
  /** A part that must become ready before the process is. */
  expect(part: string): void;
  ready(part: string): void;
  /** Marks a part as failing, with a sentence for people; `ready` clears it. */
  degraded(part: string, reason: string): void;
  /** Adds a field to /health. */
  tell(field: string, value: string): void;
  report(): HealthReport;
}

export function createHealth(): Health {
  const parts = new Map<string, { state: 'starting' | 'ready' | 'degraded'; text: string }>();
  const extras = new Map<string, string>();
  return {
    expect: (part) => void parts.set(part, { state: 'starting', text: 'starting' }),
    ready: (part) => void parts.set(part, { state: 'ready', text: 'ready' }),
    degraded: (part, reason) => void parts.set(part, { state: 'degraded', text: reason }),
    tell: (field, value) => void extras.set(field, value),
    report() {
      const states = [...parts.values()].map((part) => part.state);
      return {
        status: states.includes('degraded') ? 'degraded' : states.includes('starting') ? 'starting' : 'ok',
        parts: Object.fromEntries([...parts].map(([name, { text }]) => [name, text])),
        extras: Object.fromEntries(extras),
      };
    },
  };
}
