/** What every answer must be, whatever was asked. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { errorEnvelopeSchema } from '#schemas/http/error-envelope';
import { isRequestId } from '#schemas/http/request-id';
import { ROUTES } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import type { Answered } from './fuzz-world.fixture.ts';
import type { Draft } from './requests.fixture.ts';

/** The error of an answer that must be one: the envelope and nothing beside it. */
export function errorOf({ status, headers, text }: Answered) {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const body: unknown = JSON.parse(text);
  const { error } = errorEnvelopeSchema.parse(body);
  expect(body, 'has nothing beside the envelope').toEqual({ error });
  expect(error.requestId).toBe(headers['x-request-id']);
  expect(error.message).not.toBe('');
  if (status === 401) expect(headers['www-authenticate']).toBe('Bearer');
  return error;
}

/** Checks an answer of a route; gives its error, or null for a success. */
export function checkAnswer(route: Route, { method, headers: sent }: Draft, answer: Answered) {
  const { status, headers, text } = answer;
  const given = sent['x-request-id'];
  // Headers that are too large were never read, the id among them.
  if (status !== 431 && typeof given === 'string' && isRequestId(given.trim()))
    expect(headers['x-request-id']).toBe(given.trim());
  expect(headers['x-request-id']).toMatch(/^[\x20-\x7e]{1,128}$/);
  if (method === 'HEAD') {
    expect(text).toBe('');
    expect(status).toBeLessThan(500);
    return null;
  }
  if (status >= 400) {
    const error = errorOf(answer);
    // What no venue has told here, as a book that was never received, is a documented answer; a fault of the service is none.
    if (status === 502 || status === 504) expect(error.code).toBe('upstream_unavailable');
    else expect(status, text).toBeLessThan(500);
    return error;
  }
  // Another method of the path is another route.
  const served = ROUTES.find((one) => one.path === route.path && one.method === method);
  expect(served?.statuses, `${method} ${route.path}`).toContain(status);
  if (status === 204) {
    expect(text).toBe('');
    return null;
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const body: unknown = JSON.parse(text);
  const parsed = served!.response.parse(body);
  if (!isDeepStrictEqual(parsed, body)) expect(body, 'holds what is not declared').toEqual(parsed);
  return null;
}

/** Whether a message begins with one of the names, as `limit: …` or `scopes.0: …`. */
export function beginsWithName(message: string, names: readonly string[]): boolean {
  return names.some((name) => message.startsWith(`${name}: `) || message.startsWith(`${name}.`));
}
