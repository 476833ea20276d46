import { expect, it } from 'vitest';
import { parseBearer } from './bearer.ts';

it.each([
  ['Bearer plx_live_x', 'plx_live_x'],
  ['bearer plx_live_x', 'plx_live_x'],
  ['BEARER   plx_live_x  ', 'plx_live_x'],
  ['Bearer', null],
  ['Bearer ', null],
  ['Bearerplx_live_x', null],
  [' Bearer plx_live_x', null],
  ['Bearer\tplx_live_x', null],
  ['Bearer plx_live_x y', null],
  ['Bearer plx_live_\u00e9', null],
  ['Basic plx_live_x', null],
  ['', null],
])('the header %j has the token %j', (header, token) => {
  expect(parseBearer(header)).toBe(token);
});
