import { describe, expect, it } from 'vitest';
import type { Topic } from '#schemas/topics/topic';
import { runSideBySide } from './side-by-side.ts';

const topic = (name: string) => ({ name }) as Topic;
const stage = (name: string, reads: string[], writes: string[]) => ({
  name,
  inputs: reads.map((read) => ({ topic: topic(read), handle: () => {} })),
  outputs: writes.map(topic),
});
const STAGES = [
  stage('first', ['raw.a'], ['a']),
  stage('second', ['raw.b'], ['b']),
  stage('both', ['a', 'b'], ['c']),
  stage('third', ['raw.a'], []),
];

/** Runs the stages; each run ends when the test says so. */
function start(limit: number) {
  const events: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const done = runSideBySide(STAGES, limit, ({ name }, signal) => {
    events.push(name);
    return new Promise((resolve, reject) => {
      ends.set(name, (error) => (error ? reject(error) : resolve()));
      signal.addEventListener('abort', () => {
        events.push(`${name} aborted`);
        resolve();
      });
    });
  });
  const end = async (name: string, error?: Error) => {
    ends.get(name)!(error);
    await new Promise(setImmediate);
  };
  return { events, done, end };
}

describe('stages side by side', () => {
  it('starts a stage once the writers of its inputs are done', async () => {
    const { events, done, end } = start(4);
    expect(events).toEqual(['first', 'second', 'third']);
    await end('first');
    expect(events).toHaveLength(3);
    await end('second');
    expect(events.at(-1)).toBe('both');
    await end('both');
    await end('third');
    await done;
  });

  it('runs at most the given number, in their order', async () => {
    const { events, done, end } = start(1);
    for (const name of ['first', 'second', 'both', 'third']) {
      expect(events.at(-1)).toBe(name);
      await end(name);
    }
    await done;
  });

  it('aborts the others if one fails, and starts no more', async () => {
    const { events, done, end } = start(2);
    const failure = new Error('no disk');
    const failed = expect(done).rejects.toBe(failure);
    await end('second', failure);
    await failed;
    expect(events).toEqual(['first', 'second', 'first aborted', 'second aborted']);
  });
});
