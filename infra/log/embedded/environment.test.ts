import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isTransient } from '../../runtime/retry.ts';
import { type LogEnvironment, openEnvironment, transactOn } from './environment.ts';

/** The error of LMDB at a commit. */
const givenUp = () =>
  Object.assign(new Error('MDB_BAD_TXN: Transaction must abort, has a child, or is invalid: freelist'), {
    code: -30_782,
  });

describe('a transaction', () => {
  let folder = '';
  let environment: LogEnvironment;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-environment-'));
    environment = openEnvironment(folder, false);
  });
  afterEach(async () => {
    await environment.root.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The real environment, whose first commits LMDB aborts. */
  const failing = (commits: number) => {
    let left = commits;
    return {
      transactionSync: <T>(work: () => T, flags?: number): T =>
        environment.root.transactionSync(() => {
          const result = work();
          left -= 1;
          if (left >= 0) throw givenUp();
          return result;
        }, flags),
    };
  };

  it('is run again after LMDB aborted it, and written once', () => {
    const tree = environment.partition('p')!;
    const put = (value: string) => () => tree.append(1, Buffer.from(value));
    expect(transactOn(failing(4), folder, put('a'))).toBe(true);
    expect(tree.at(1)?.value.toString()).toBe('a');
    expect(environment.transact(() => tree.append(2, Buffer.from('b')))).toBe(true);
    expect([...tree.from(0)].map(({ key }) => key)).toEqual([1, 2]);
  });

  it('fails with a transient error if LMDB aborts it every time, with nothing written', () => {
    const tree = environment.partition('p')!;
    let error: unknown;
    try {
      transactOn(failing(100), folder, () => tree.append(1, Buffer.from('a')));
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code: 'log_unavailable' });
    expect(isTransient(error)).toBe(true);
    expect(tree.at(1)).toBeNull();
  });

  it('fails immediately on an error of its own', () => {
    let runs = 0;
    const work = () => {
      runs += 1;
      throw new Error('offset 1 exists');
    };
    expect(() => environment.transact(work)).toThrow('offset 1 exists');
    expect(runs).toBe(1);
  });
});
