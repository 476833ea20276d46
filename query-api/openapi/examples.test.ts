import { beforeAll, describe, expect, it } from 'vitest';
import { errorEnvelopeSchema } from '#schemas/http/error-envelope';
import { ROUTES } from '../routes/index.ts';
import { type Example, Examples, formatExamples } from './examples.ts';
import { makeExamples } from './make-examples.fixture.ts';

/** Makes the examples, which fills the tables of the data set. */
const MAKE_MS = 120_000;
const SIZE_MAX = 160 * 1024;

let made: Example[];
beforeAll(async () => {
  made = await makeExamples();
}, MAKE_MS);

describe('the examples of the API', () => {
  it('are those that the routes answer now (npm run docs:examples)', async () => {
    await expect(formatExamples(made)).toMatchFileSnapshot('./examples.ndjson');
  });

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'have a body and every answer of %s, which are valid',
    (_name, route) => {
      const examples = new Examples(made);
      for (const status of route.statuses) {
        const example = examples.of(route, status);
        expect(example, String(status)).toBeDefined();
        if (status !== 204) expect(route.response.parse(example!.answer)).toEqual(example!.answer);
        if (route.body) route.body.parse(example!.body);
      }
      const values = Object.fromEntries(examples.parametersOf(route));
      const pathNames = [...route.path.matchAll(/:(\w+)/g)].map((found) => found[1]!);
      const inQuery = Object.entries(values).filter(([name]) => !pathNames.includes(name));
      route.query.parse(Object.fromEntries(inQuery));
      for (const name of pathNames) expect(values[name], name).toMatch(/\S/);
    },
  );

  it('have the body of an error', () => {
    errorEnvelopeSchema.parse(new Examples(made).error);
  });

  it('stay small', () => {
    expect(formatExamples(made).length).toBeLessThan(SIZE_MAX);
  });

  it('hold no key that could be used', () => {
    const keys = [...formatExamples(made).matchAll(/plx_(?:live|test)_[0-9a-f-]+\.([\w-]+)/g)];
    expect(keys.length).toBeGreaterThan(0);
    for (const [, secret] of keys) expect(secret).toMatch(/^(example)+e?$/);
  });
});

describe('the values of parameters', () => {
  it('are those in the path and in the query of the example', () => {
    const route = ROUTES.find(({ path }) => path === '/v1/events/:universalId/trades')!;
    const examples = new Examples([
      { operationId: 'getEventsUniversalIdTrades', status: 200, path: '/v1/events/evt%3A1/trades?limit=2' },
    ]);
    expect([...examples.parametersOf(route)]).toEqual([
      ['universalId', 'evt:1'],
      ['limit', '2'],
    ]);
  });
});
