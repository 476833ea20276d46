/**
 * Fuzzes every route, based on its declaration alone, so that new routes are tested too. `PARALLAX_FUZZ_RUNS` is the
 * number of requests per route, `PARALLAX_FUZZ_SEED` the seed (`random` for a new one each time); a failure prints its
 * seed.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import { beginsWithName, checkResponse } from './check-response.fixture.ts';
import { type FuzzService, openFuzzService } from './fuzz-service.fixture.ts';
import { CREATED_ID, type Draft, fuzzed, goodDraft } from './requests.fixture.ts';

const RUNS = Number(process.env.PARALLAX_FUZZ_RUNS ?? 12);
/** Fixed by default: the test of a change must not fail by chance. */
const SEED = process.env.PARALLAX_FUZZ_SEED ?? '20260301';
const GOOD_RUNS = 4;
const GOOD_TRIES = 80;
/** Generous, for a machine under load. */
const TIMEOUT_MS = 60_000 + RUNS * 500;
const options = { numRuns: RUNS, ...(SEED === 'random' ? {} : { seed: Number(SEED) }) };

let service: FuzzService;
beforeAll(async () => {
  service = await openFuzzService();
});
afterAll(() => service.close());

const sendAndCheck = async (route: Route, draft: Draft) =>
  checkResponse(route, draft, await service.send(route.path, draft));

/** Checks that a 400 or 422 names a mutated field, or the field for which the unmutated request is refused too. */
async function checkNaming(route: Route, good: Draft, mutated: Draft): Promise<void> {
  const response = await service.send(route.path, mutated);
  const error = checkResponse(route, mutated, response);
  if (error === null || (response.status !== 400 && response.status !== 422)) return;
  // Created resources differ between requests, so a route may refuse one of them.
  const createdNames = Object.keys(mutated.params).filter((name) => mutated.params[name] === CREATED_ID);
  // A good request may be refused for a reason of its own, which stands beside that of the mutation.
  const reasons = [error.message, ...error.message.split('; ')];
  if (reasons.some((reason) => beginsWithName(reason, [...mutated.mutated, ...createdNames]))) return;
  const before = await sendAndCheck(route, good);
  expect(before?.message, `names none of ${JSON.stringify(mutated.mutated)}: ${error.message}`).toBe(error.message);
}

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
  it(
    'answers any request without a failure, and names the invalid field',
    async () => {
      await fc.assert(
        fc.asyncProperty(fuzzed(route), ({ good, mutated }) => checkNaming(route, good, mutated)),
        options,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'accepts requests that match its schemas',
    async () => {
      const successes: Draft[] = [];
      const refusals: string[] = [];
      const send = async (draft: Draft) => {
        const error = await sendAndCheck(route, draft);
        // Missing venue data shows that the handler was reached.
        if (error === null || error.code === 'upstream_unavailable') successes.push(draft);
        else refusals.push(error.message);
        // A parameter may be required only where another one is missing.
        const declared = Object.keys(route.query.shape);
        const names = [...Object.keys(draft.params), ...declared, ...Object.keys((draft.body ?? {}) as object)];
        if (error?.code === 'validation_failed')
          expect(
            names.some((name) => beginsWithName(error.message, [name])),
            error.message,
          ).toBe(true);
      };
      await fc.assert(fc.asyncProperty(goodDraft(route), send), { ...options, numRuns: Math.max(GOOD_RUNS, RUNS / 4) });
      // If a success needs a resource that no POST creates, reaching the handler is enough.
      if (!canSucceed(route)) return;
      // A few requests may all lack a precondition of the route, such as a session.
      const more = fc.sample(goodDraft(route), { ...options, numRuns: GOOD_TRIES });
      for (const draft of more) if (successes.length === 0) await send(draft);
      expect(successes, `add examples of valid values to good-values.fixture.ts; refused: ${refusals}`).not.toEqual([]);
    },
    TIMEOUT_MS,
  );
});

/** True if all resources in the path exist or can be created. */
function canSucceed(route: Route): boolean {
  const [draft] = fc.sample(goodDraft(route), 1);
  const parts = route.path.split('/');
  return parts.every((part, at) => {
    if (!part.startsWith(':') || draft!.params[part.slice(1)] !== CREATED_ID) return true;
    const collection = parts.slice(0, at).join('/');
    return ROUTES.some(({ method, path }) => method === 'POST' && path === collection);
  });
}
