import { expect, it } from 'vitest';
import { createHealth } from './health.ts';
import { OpenProblems } from './open-problems.ts';

const canRetry = (error: unknown) => (error as Error).message !== 'final';
const messageOf = (error: unknown) => (error as Error).message;

function open() {
  const health = createHealth();
  const part = () => health.report().parts.part;
  /** The state of the part after each report. */
  const states: (string | undefined)[] = [];
  const problems = new OpenProblems(
    {
      degraded(...report) {
        health.degraded(...report);
        states.push(part());
      },
      recovered(...report) {
        health.recovered(...report);
        states.push(part());
      },
    },
    'part',
  );
  /** An operation that fails with each of these messages, then succeeds. `onAttempt` is called before each attempt. */
  const run = (messages: string[], onAttempt: (attempt: number) => void = () => {}) => {
    let attempts = 0;
    const operation = async () => {
      attempts += 1;
      onAttempt(attempts);
      const message = messages[attempts - 1];
      if (message !== undefined) throw new Error(message);
    };
    return problems.retry(operation, messageOf, { canRetry });
  };
  return { health, run, part, states };
}

it('a part is ready again only when none of its operations fails any more', async () => {
  const { run, part, states } = open();
  const long = run(Array<string>(4).fill('long outage'));
  await run(['short outage']);
  expect(part()).toBe('long outage');
  await long;
  expect(states.at(-1)).toBe('ready');
  expect(new Set(states.slice(0, -1))).toEqual(new Set(['long outage']));
});

it('an operation that is given up is no problem any more', async () => {
  const { run, states } = open();
  await expect(run(['outage', 'final'])).rejects.toThrow('final');
  expect(states).toEqual(['outage', 'ready']);
});

it('a part that was not ready before its first problem is not ready after it either', async () => {
  const { health, run, states } = open();
  health.expect('part');
  await run(['outage', 'still an outage']);
  expect(states).toEqual(['outage', 'still an outage', 'starting']);
  health.ready('part');
  await run(['another outage']);
  expect(states.slice(3)).toEqual(['another outage', 'ready']);
});

it('a part that becomes ready during a problem is ready after it', async () => {
  const { health, run, states } = open();
  health.expect('part');
  await run(['outage'], (attempt) => {
    if (attempt === 2) health.ready('part');
  });
  expect(states).toEqual(['outage', 'ready']);
});

it('an operation that succeeds at once, or fails at once for good, reports nothing', async () => {
  const { run, part, states } = open();
  await run([]);
  await expect(run(['final'])).rejects.toThrow('final');
  expect([part(), states]).toEqual([undefined, []]);
});
