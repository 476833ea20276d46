import { expect, it } from 'vitest';
import type { Backlog } from '../../telemetry/health.ts';
import { statusLine } from './status-line.ts';

const behind: Backlog = { stage: 'spreads', lagSeconds: 130, records: 53_590, recordsPerSecond: 900, secondsLeft: 61 };
const nothing = { status: 'ok', parts: { ingest: 'ready' }, extras: {}, backlog: [] } as const;

it.each([
  [nothing, null],
  [{ ...nothing, extras: { playback: 'ended' } }, null],
  [
    { ...nothing, status: 'starting' as const, parts: { log: 'ready', ingest: 'starting', sink: 'starting' } },
    'starting: ingest, sink',
  ],
  [
    { ...nothing, extras: { playback: 'running', playedUntil: '2026-03-01T12:00:00.123Z' } },
    'playing the recording, at 2026-03-01 12:00:00 UTC',
  ],
  [
    { ...nothing, backlog: [{ ...behind, lagSeconds: 6 }, behind] },
    'catching up: spreads is 2 min behind (53,590 records), about 61 s left',
  ],
  [
    { ...nothing, backlog: [{ ...behind, lagSeconds: 9_000, records: null, secondsLeft: null }] },
    'catching up: spreads is 3 h behind',
  ],
])('describes %j as %s', (report, text) => {
  expect(statusLine(report)).toBe(text);
});
