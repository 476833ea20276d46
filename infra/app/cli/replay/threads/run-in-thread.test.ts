import { describe, expect, it, vi } from 'vitest';
import { type AppendRecord, LogError } from '../../../../log/log.ts';
import type { StageTask } from './messages.ts';
import { runInThread } from './run-in-thread.ts';

/** A thread with this program instead of that of a stage. */
const script = (program: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort as host } from 'node:worker_threads';${program}`)}`,
  );
const APPEND = `host.postMessage({ kind: 'append', id: 7, batch: { values: new Uint8Array([1, 2]).buffer, partitions: [
  { topic: 't', partition: 0, keys: ['k'], receivedAt: [5], seqs: [1], bytes: [2] }] } });`;
const DONE = `host.postMessage({ kind: 'done' }); host.close();`;

function run(program: string, append: (records: readonly AppendRecord[]) => Promise<void> = async () => {}) {
  const stopping = new AbortController();
  const onProgress = vi.fn();
  const task = { stage: 'candles' } as StageTask;
  const done = runInThread({ task, log: { append }, onProgress, signal: stopping.signal, script: script(program) });
  return { done, onProgress, stopping };
}

describe('a stage in a thread', () => {
  it('appends and reports its progress through the thread that started it', async () => {
    const appended: AppendRecord[] = [];
    const program = `${APPEND} host.postMessage({ kind: 'progress', records: 512 });
      host.once('message', ({ id, error }) => { if (id === 7 && error === null) { ${DONE} } });`;
    const { done, onProgress } = run(program, async (records) => void appended.push(...records));
    await done;
    expect(appended).toEqual([
      { topic: 't', partition: 0, key: 'k', value: Buffer.from([1, 2]), receivedAt: 5, seq: 1 },
    ]);
    expect(onProgress).toHaveBeenCalledWith(512);
  });

  it('receives the error of a refused append', async () => {
    const program = `${APPEND} host.once('message', ({ error }) => {
      host.postMessage({ kind: 'failed', message: error.code + ': ' + error.message }); host.close(); });`;
    const { done } = run(program, () => Promise.reject(new LogError('log_full', 'no room')));
    await expect(done).rejects.toMatchObject({ name: 'StageThreadError', message: 'stage candles: log_full: no room' });
  });

  it.each([
    ['throws', `throw new Error('broken');`, 'stage candles: Error: broken'],
    ['ends early', 'host.close();', 'stage candles: its thread ended before the stage was done'],
  ])('rejects if its thread %s', async (_, program, message) => {
    await expect(run(program).done).rejects.toMatchObject({ name: 'StageThreadError', message });
  });

  it('ends when it is aborted', async () => {
    const { done, stopping } = run('setInterval(() => {}, 1_000);');
    const reason = new Error('another stage failed');
    setTimeout(() => stopping.abort(reason), 50);
    await expect(done).rejects.toBe(reason);
  });
});
