/** Runs long test files first, so that short ones fill the cores at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Paths of tests that start whole services, brokers or load generators. All others take seconds. */
export const LONG = ['.e2e.test.ts', 'infra/app/checks/', 'infra/log/kafka/', 'infra/app/bench/'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((part) => moduleId.includes(part));
  return rank < 0 ? LONG.length : rank;
}
