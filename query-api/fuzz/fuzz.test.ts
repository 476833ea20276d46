/**
 * Every route asked everything, from its declaration alone: a route that is added is tested here. `PARALLAX_FUZZ_RUNS`
 * says how many requests each route gets, `PARALLAX_FUZZ_SEED` which (`random` for others each time); a failure tells its
 * seed.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import { beginsWithName, checkAnswer } from './check-answer.fixture.ts';
import { type FuzzWorld, openFuzzWorld } from './fuzz-world.fixture.ts';
import { type Draft, fuzzed, goodDraft, MADE } from './requests.fixture.ts';

const RUNS = Number(process.env.PARALLAX_FUZZ_RUNS ?? 12);
/** The same ones each time unless told otherwise: a check of a change must not fail by chance. */
const SEED = process.env.PARALLAX_FUZZ_SEED ?? '20260301';
const GOOD_RUNS = 4;
const GOOD_TRIES = 80;
/** For a machine that does much else. */
const TIMEOUT_MS = 60_000 + RUNS * 500;
const options = { numRuns: RUNS, ...(SEED === 'random' ? {} : { seed: Number(SEED) }) };

let world: FuzzWorld;
beforeAll(async () => {
  world = await openFuzzWorld();
});
afterAll(() => world.close());

const ask = async (route: Route, draft: Draft) => checkAnswer(route, draft, await world.send(route.path, draft));

/** A 400 or 422 names a place that was bent, or one for which the request was refused before it was bent. */
async function checkNaming(route: Route, good: Draft, bent: Draft): Promise<void> {
  const answer = await world.send(route.path, bent);
  const error = checkAnswer(route, bent, answer);
  if (error === null || (answer.status !== 400 && answer.status !== 422)) return;
  // Things that are made differ from one request to the next, so one of them may be what a route does not take.
  const made = Object.keys(bent.params).filter((name) => bent.params[name] === MADE);
  if (beginsWithName(error.message, [...bent.bent, ...made])) return;
  const before = await ask(route, good);
  expect(before?.message, `names none of ${JSON.stringify(bent.bent)}: ${error.message}`).toBe(error.message);
}

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
  it(
    'answers whatever it is asked, and names what is wrong',
    async () => {
      await fc.assert(
        fc.asyncProperty(fuzzed(route), ({ good, bent }) => checkNaming(route, good, bent)),
        options,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'takes what its schemas take',
    async () => {
      const successes: Draft[] = [];
      const refusals: string[] = [];
      const take = async (draft: Draft) => {
        const error = await ask(route, draft);
        // A venue that does not answer here was asked by the handler.
        if (error === null || error.code === 'upstream_unavailable') successes.push(draft);
        else refusals.push(error.message);
        const names = [...Object.keys(draft.params), ...draft.query, ...Object.keys((draft.body ?? {}) as object)];
        if (error?.code === 'validation_failed')
          expect(
            names.some((name) => beginsWithName(error.message, [name.split('=')[0]!])),
            error.message,
          ).toBe(true);
      };
      await fc.assert(fc.asyncProperty(goodDraft(route), take), { ...options, numRuns: Math.max(GOOD_RUNS, RUNS / 4) });
      // Where a success needs a thing that no POST makes, its handler has at least looked for it.
      if (!canSucceed(route)) return;
      // A few requests can all lack what this route needs, as a session.
      const more = fc.sample(goodDraft(route), { ...options, numRuns: GOOD_TRIES });
      for (const draft of more) if (successes.length === 0) await take(draft);
      expect(successes, `tell good-values.fixture.ts what a good request is; refused: ${refusals}`).not.toEqual([]);
    },
    TIMEOUT_MS,
  );
});

/** Whether everything that the path names can be made, or is there. */
function canSucceed(route: Route): boolean {
  const [draft] = fc.sample(goodDraft(route), 1);
  const parts = route.path.split('/');
  return parts.every((part, at) => {
    if (!part.startsWith(':') || draft!.params[part.slice(1)] !== MADE) return true;
    const collection = parts.slice(0, at).join('/');
    return ROUTES.some(({ method, path }) => method === 'POST' && path === collection);
  });
}
