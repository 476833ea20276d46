import { pino } from 'pino';
import { expect, it } from 'vitest';
import { CatchUpProgress } from './catch-up-progress.ts';

it('logs every few seconds how many records are handled and how long the remaining ones will take', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let clock = 1_000;
  const progress = new CatchUpProgress({ logger, topic: 'control.commands', from: 100, last: 1_099, now: () => clock });
  for (let offset = 109; offset <= 1_099; offset += 10) {
    clock += 300;
    progress.reached(offset);
  }
  expect(lines.map(({ done, total, secondsLeft }) => [done, total, secondsLeft])).toEqual([
    [170, 1_000, 25],
    [340, 1_000, 20],
    [510, 1_000, 15],
    [680, 1_000, 10],
    [850, 1_000, 5],
  ]);
  expect(lines[0]).toMatchObject({ level: 30, msg: 'start: reading control.commands' });
});

it('does not count records that arrive after the start', () => {
  const done: unknown[] = [];
  const logger = pino({}, { write: (line: string) => void done.push(JSON.parse(line).done) });
  let clock = 0;
  const progress = new CatchUpProgress({ logger, topic: 'control.commands', from: 0, last: 9, now: () => clock });
  clock = 6_000;
  progress.reached(12);
  expect(done).toEqual([10]);
});
