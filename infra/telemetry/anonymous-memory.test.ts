import { expect, it } from 'vitest';
import { anonymousBytesOf } from './anonymous-memory.ts';

it('is the part of resident memory that is no page of a file', () => {
  expect(anonymousBytesOf('VmRSS:\t  999999 kB\nRssAnon:\t  204800 kB\nRssFile:\t   1 kB\n')).toBe(200 * 1024 * 1024);
  expect(() => anonymousBytesOf('VmRSS:\t 1 kB\n')).toThrow('RssAnon');
});
