import { expect, it, vi } from 'vitest';
import { createHealth } from './health.ts';
import { OpenProblems } from './open-problems.ts';

const canRetry = (error: unknown) => (error as Error).message !== 'final';
const messageOf = (error: unknown) => (error as Error).message;

function open() {
  const health = createHealth();
  const problems = new OpenProblems(health, 'part');
  /** An operation that fails with each of these messages, and then waits for `end`. */
  const run = (...messages: string[]) => {
    const result = problems.retry(
      async () => {
        const message = messages.shift();
        if (message !== undefined) throw new Error(message);
      },
      messageOf,
      { canRetry },
    );
    result.catch(() => {});
    return result;
  };
  return { health, run, part: () => health.report().parts.part };
}

it('a part is ready again only when none of its operations fails any more', async () => {
  const { run, part } = open();
  const long = run(...Array<string>(4).fill('long outage'));
  const short = run('short outage');
  await vi.waitFor(() => expect(part()).toBe('long outage'));
  await short;
  expect(part()).toBe('long outage');
  await long;
  expect(part()).toBe('ready');
});

it('an operation that is given up is no problem any more', async () => {
  const { run, part } = open();
  const given = run('outage', 'final');
  await vi.waitFor(() => expect(part()).toBe('outage'));
  await expect(given).rejects.toThrow('final');
  expect(part()).toBe('ready');
});

it('a part that was not ready before its first problem is not ready after it either', async () => {
  const { health, run, part } = open();
  health.expect('part');
  const outage = run('outage', 'still an outage');
  await vi.waitFor(() => expect(part()).toBe('still an outage'));
  await outage;
  expect(part()).toBe('starting');
  health.ready('part');
  await run('another outage');
  expect(part()).toBe('ready');
});

it('a part that becomes ready during a problem is ready after it', async () => {
  const { health, run, part } = open();
  health.expect('part');
  const outage = run('outage', 'outage');
  await vi.waitFor(() => expect(part()).toBe('outage'));
  health.ready('part');
  await outage;
  expect(part()).toBe('ready');
});

it('an operation that succeeds at once, or fails at once for good, reports nothing', async () => {
  const { run, part } = open();
  await run();
  await expect(run('final')).rejects.toThrow('final');
  expect(part()).toBeUndefined();
});
