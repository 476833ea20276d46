import { expect, it } from 'vitest';
import type { VenueAPositions } from '#schemas/requests/positions';
import type { InfoRequest } from '#schemas/requests/venue-a-info';
import { UpstreamError } from '../../feed/errors.ts';
import { createPositionReads } from './position-reads.ts';

const USER = `0x${'a'.repeat(40)}`;
const LISTED = [null, { name: 'xyz' }, { name: 'flx' }];

function setUp(answer: (request: InfoRequest) => unknown, dexes?: { names: () => string[]; isRecent: () => boolean }) {
  const sent: InfoRequest[] = [];
  const handler = createPositionReads(async (request) => {
    sent.push(request);
    return { native: request.type === 'perpDexs' ? LISTED : answer(request), fetchedAt: 5, source: 'official' };
  }, dexes);
  const read = () =>
    handler.run(
      { address: USER },
      { signal: new AbortController().signal, orgIds: new Set(['org']), requestedAt: Date.now() },
    ) as Promise<VenueAPositions>;
  return { sent, read };
}

it('reads the state of every dex of the list', async () => {
  const { sent, read } = setUp(({ dex }) => ({ of: dex ?? '' }));
  expect((await read()).states).toEqual(
    ['', 'xyz', 'flx'].map((dex) => ({ dex, native: { of: dex }, fetchedAt: 5, failure: null })),
  );
  expect(sent[0]).toEqual({ type: 'perpDexs' });
  expect(sent[1]).toEqual({ type: 'clearinghouseState', user: USER });
});

it('uses the list that is polled while it is recent', async () => {
  const { sent, read } = setUp(() => ({}), { names: () => ['xyz'], isRecent: () => true });
  expect((await read()).states.map(({ dex }) => dex)).toEqual(['', 'xyz']);
  expect(sent).toHaveLength(2);
});

it('returns the failure of a dex beside the states of the others', async () => {
  const { read } = setUp(({ dex }) => {
    if (dex === 'xyz') throw new UpstreamError('upstream_rate_limited', 'no room');
    if (dex === 'flx') throw new UpstreamError('upstream_malformed', 'no JSON');
    return {};
  });
  expect((await read()).states.map(({ failure }) => failure)).toEqual([null, 'rate_limited', 'upstream_failed']);
});
