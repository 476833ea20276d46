import { afterEach, expect, it, vi } from 'vitest';
import { READS_WITHIN_MS, readAccountValue } from './read-account-value.ts';

afterEach(() => vi.useRealTimers());

it('ends as a failure of the venue when the acquisition took all of the time', async () => {
  // Only the time of day stands still: a read that waited for a value longer than it may would never end.
  vi.useFakeTimers({ toFake: ['Date'] });
  const send = async () => {
    vi.setSystemTime(Date.now() + READS_WITHIN_MS);
    return { result: { publishedAt: Date.now() } };
  };
  const read = { family: 'venue_b', address: '0x1', maxAgeMs: 0, signal: new AbortController().signal } as const;
  const reading = readAccountValue(read, { views: { accountValues: new Map() }, ingest: { send } } as never);
  await expect(reading).rejects.toMatchObject({ code: 'upstream_unavailable', status: 502 });
});
