import { expect, it } from 'vitest';
import { entry, never, setUpCatalog } from './catalog.fixture.ts';

it('publishes the closed markets of tokens, 50 in a request, without taking them for known ones of a list', async () => {
  const { source, server, requests } = await setUpCatalog((path) => ({
    body: JSON.stringify(path.includes('clob_token_ids=1&') ? [entry('m1'), entry('m2')] : []),
  }));
  const tokens = Array.from({ length: 51 }, (_, at) => String(at + 1));
  expect([...(await source.lookUpTokens(tokens, never))]).toEqual(['m1', 'm2']);
  const paths = server.requests.map(({ path }) => path);
  expect(paths.map((path) => path.split('&clob_token_ids=').length - 1)).toEqual([50, 1]);
  expect(paths[1]).toMatch(/\/markets\?limit=100&closed=true&clob_token_ids=51$/);
  // An answer without markets is not published.
  expect(await requests()).toEqual([expect.stringContaining('&clob_token_ids=1&')]);
  const listed = await source.fetch('/markets?clob_token_ids=1&', never);
  expect(source.isAllChanged(listed)).toBe(true);
});
