import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { endOnSignals } from './end-on-signal.ts';

describe('endOnSignals', () => {
  let target: EventEmitter;
  let calls: unknown[][];
  beforeEach(() => {
    calls = [];
    target = Object.assign(new EventEmitter(), {
      pid: 7,
      kill: (...args: unknown[]) => calls.push(['kill', ...args]),
      exit: (code: number) => calls.push(['exit', code]),
    });
    endOnSignals(target as never);
  });

  it('ends a command that does not handle signals, also where the kernel ignores the kill', () => {
    target.emit('SIGINT');
    expect(calls).toEqual([
      ['kill', 7, 'SIGINT'],
      ['exit', 130],
    ]);
  });

  it('leaves a signal to the command that handles it', () => {
    target.once('SIGTERM', () => {});
    target.emit('SIGTERM');
    expect(calls).toEqual([]);
  });
});
