/** The application for one test, with the declared routes or with one route of the test. */
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineRoute, type RouteDeclaration } from '../routes/route.ts';
import { createTestApp, type TestApp, type TestAppOptions } from './test-app.fixture.ts';

type ThingFields = Partial<RouteDeclaration<object, { n?: string | undefined }, unknown>>;

/** Opens the application until the end of the test. */
export async function openApp(options?: TestAppOptions): Promise<TestApp> {
  const test = await createTestApp(options);
  onTestFinished(() => test.app.close());
  return test;
}

/** Opens the application with only `GET /v1/thing` until the end of the test. */
export function openThing(fields: ThingFields = {}, app: TestAppOptions['app'] = {}): Promise<TestApp> {
  return openThings([fields], app);
}

/** Opens the application with several routes, which share what all routes have in common. */
export function openThings(things: readonly ThingFields[], app: TestAppOptions['app'] = {}): Promise<TestApp> {
  const routes = things.map((fields) =>
    defineRoute({
      method: 'GET',
      path: '/v1/thing',
      scope: 'read',
      sku: null,
      cacheTtlMs: 0,
      summary: 'A thing.',
      params: z.object({}),
      query: z.object({ n: z.string().optional() }),
      response: z.unknown(),
      handle: () => ({ ok: true }),
      ...fields,
    }),
  );
  return openApp({ routes, app });
}

/** Creates a handler whose calls wait, and the functions that end them. */
export function heldHandler(): { handle: () => Promise<unknown>; releases: ((value: unknown) => void)[] } {
  const releases: ((value: unknown) => void)[] = [];
  return { handle: () => new Promise((resolve) => releases.push(resolve)), releases };
}
