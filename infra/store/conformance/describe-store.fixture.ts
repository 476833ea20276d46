import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest';
import type { Store } from '../store.ts';
import { Subject } from './check.ts';
import { STORE_CHECKS } from './checks.ts';

export interface StoreHarness {
  /** Reopens the store on the same data. */
  open(): Promise<Store>;
  /** Removes everything. */
  dispose(): Promise<void>;
}

/** Runs the conformance suite as tests. */
export function describeStore(name: string, start: () => Promise<StoreHarness>): void {
  describe(name, () => {
    let harness: StoreHarness;
    let subject: Subject;
    beforeAll(async () => {
      harness = await start();
      subject = new Subject(() => harness.open());
    });
    afterAll(() => harness.dispose());
    beforeEach(() => subject.begin());
    afterEach(() => subject.end());
    for (const { name: guarantee, run } of STORE_CHECKS) it(guarantee, () => run(subject));
  });
}
