/** Checks that hold for every response, whatever the request. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { errorEnvelopeSchema } from '#schemas/http/error-envelope';
import { isRequestId } from '#schemas/http/request-id';
import { ROUTES } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import type { ServedResponse } from './fuzz-service.fixture.ts';
import type { Draft } from './requests.fixture.ts';

/** Parses an error response, which must be the envelope and nothing else. */
export function errorOf({ status, headers, text }: ServedResponse) {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const body: unknown = JSON.parse(text);
  const { error } = errorEnvelopeSchema.parse(body);
  expect(body, 'has only the envelope').toEqual({ error });
  expect(error.requestId).toBe(headers['x-request-id']);
  expect(error.message).not.toBe('');
  if (status === 401) expect(headers['www-authenticate']).toBe('Bearer');
  return error;
}

/** Checks a response of a route. Returns its error, or null for a success. */
export function checkResponse(route: Route, { method, headers: sent }: Draft, response: ServedResponse) {
  const { status, headers, text } = response;
  const requestId = sent['x-request-id'];
  // Headers that are too large are never read, so the request id is unknown.
  if (status !== 431 && typeof requestId === 'string' && isRequestId(requestId.trim()))
    expect(headers['x-request-id']).toBe(requestId.trim());
  expect(headers['x-request-id']).toMatch(/^[\x20-\x7e]{1,128}$/);
  if (method === 'HEAD') {
    expect(text).toBe('');
    expect(status).toBeLessThan(500);
    return null;
  }
  const own = route.ownErrors?.[status];
  if (own) {
    own.schema.parse(JSON.parse(text));
    return null;
  }
  if (status >= 400) {
    const error = errorOf(response);
    // Missing venue data, such as a book that was never received, is a documented error; an internal error is a
    // failure.
    if (status === 502 || status === 504) expect(error.code).toBe('upstream_unavailable');
    else expect(status, text).toBeLessThan(500);
    return error;
  }
  // The request may have another method, and so belong to another route of the path.
  const served = ROUTES.find((one) => one.path === route.path && one.method === method);
  expect(served?.statuses, `${method} ${route.path}`).toContain(status);
  if (status === 204) {
    expect(text).toBe('');
    return null;
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  const body: unknown = JSON.parse(text);
  const parsed = served!.response.parse(body);
  if (!isDeepStrictEqual(parsed, body)) expect(body, 'has undeclared fields').toEqual(parsed);
  return null;
}

/** Messages shorten unknown names to this. */
const NAME_CHARACTERS_MAX = 100;

/** True if a message begins with one of the names, for example `limit: …`, `limit[]: …` or `scopes.0: …`. */
export function beginsWithName(message: string, names: readonly string[]): boolean {
  const shown = names.map((name) => name.slice(0, NAME_CHARACTERS_MAX));
  return shown.some((name) => [': ', '.', '['].some((end) => message.startsWith(`${name}${end}`)));
}
