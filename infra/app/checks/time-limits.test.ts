import { expect, it } from 'vitest';
import { sourceFiles } from './sources.ts';

/** Tests, fixtures, checks and benches run for a short time, and the portal runs in browsers. */
const LEFT_OUT = /\.(test|fixture)\.tsx?$|^infra\/app\/(checks|bench|simulator)\/|^query-api\/portal\/|\/testing\//;

it('product code limits times with timeLimit, since Node 20 may lose a timeout within AbortSignal.any', () => {
  const callers = sourceFiles()
    .filter(({ path, text }) => !LEFT_OUT.test(path) && text.includes('AbortSignal.timeout('))
    .map(({ path }) => path);
  expect(callers).toEqual(['infra/runtime/time-limit.ts']);
});
