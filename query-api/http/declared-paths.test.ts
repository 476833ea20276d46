import { expect, it } from 'vitest';
import { DeclaredPaths } from './declared-paths.ts';

const paths = new DeclaredPaths([
  '/',
  '/portal',
  '/portal/*',
  '/portal/assets/:name',
  '/v1/events',
  '/v1/events/board',
  '/v1/events/:id',
  '/v1/events/:id/spread',
]);

// What the router finds for a declared method.
it.each([
  ['/', '/'],
  ['//', null],
  ['/portal', '/portal'],
  ['/portal/', '/portal/*'],
  ['/portal/x/y', '/portal/*'],
  ['/portal/assets/', '/portal/assets/:name'],
  ['/portal/assets/a', '/portal/assets/:name'],
  ['/portal/assets/a/b', '/portal/*'],
  ['/v1/events', '/v1/events'],
  ['/v1/events?x=/1', '/v1/events'],
  ['/v1/events#a', '/v1/events'],
  ['/v1/events;a', null],
  ['/v1/%65vents', '/v1/events'],
  ['/v1%2Fevents', null],
  ['/V1/events', null],
  ['/v1/events/', '/v1/events/:id'],
  ['/v1/events//spread', '/v1/events/:id/spread'],
  ['/v1/events/board', '/v1/events/board'],
  ['/v1/events/board/', null],
  ['/v1/events/board/spread', '/v1/events/:id/spread'],
  ['/v1/events/a%2Fb', '/v1/events/:id'],
  ['/v1/events/é', '/v1/events/:id'],
  ['/v1/events/%zz', null],
  ['/nowhere', null],
  ['', null],
])('the declared path of %s is %s', (url, path) => expect(paths.find(url)).toBe(path));
