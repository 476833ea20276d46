import { describe, expect, it } from 'vitest';
import { createStabiliser, shortened } from './stable-values.fixture.ts';

const UUID = '4d98fec0-e257-49ef-9a25-19786557049b';

describe('the values of examples', () => {
  it.each(['00:00:30', '11:59:59', '23:59:30'])('are the same at every time of the day: %s', (time) => {
    const startedAt = Date.parse(`2027-05-06T${time}.000Z`);
    const stable = createStabiliser(startedAt);
    const value = {
      id: `wal_${UUID}`,
      token: `plx_live_${UUID}.${'Ab1_'.repeat(10)}Ab1`,
      secret: 'whsec_q83vq83vq83vq83vq83vq83vq83vq83v',
      csrf: 'a1b2c3d4',
      uptimeSeconds: startedAt % 100,
      createdAt: new Date(startedAt + 5_000).toISOString(),
      expiresAt: new Date(startedAt + 12 * 3_600_000 + 5_000).toISOString(),
      resetAt: new Date(startedAt + 60_000).toISOString(),
      day: '2027-05-06',
      old: '2026-01-14',
    };
    expect(stable(value)).toEqual({
      id: 'wal_00000000-0000-4000-8000-000000000001',
      token: 'plx_live_00000000-0000-4000-8000-000000000001.exampleexampleexampleexampleexampleexamplee',
      secret: 'whsec_exampleexampleexampleexampleexam',
      csrf: 'examplee',
      uptimeSeconds: 3_600,
      createdAt: '2026-01-15T13:10:00.000Z',
      expiresAt: '2026-01-16T01:10:00.000Z',
      resetAt: '2026-01-16T00:00:00.000Z',
      day: '2026-01-15',
      old: '2026-01-14',
    });
  });

  it('are cursors without what depends on the ids and the time of a run', () => {
    const cursor = (text: string) => Buffer.from(text).toString('base64url');
    const stable = createStabiliser(0);
    expect(stable({ nextCursor: cursor('12 0123456789abcdef/7/a') })).toEqual({
      nextCursor: cursor('12 0000000000000000/7/a'),
    });
    expect(stable({ nextCursor: cursor('12 0123456789abcdef/1795689756190/2') })).toEqual({
      nextCursor: cursor(`12 0000000000000000/${Date.UTC(2026, 0, 15, 13, 10)}/2`),
    });
    expect(stable({ nextCursor: cursor(`12 0123456789abcdef/${'a1'.repeat(16)}/1795689756190/2`) })).toEqual({
      nextCursor: cursor(`12 0000000000000000/${'0'.repeat(32)}/${Date.UTC(2026, 0, 15, 13, 10)}/2`),
    });
    const other = { nextCursor: cursor('12 evt_1') };
    expect(stable(other)).toEqual(other);
  });

  it('are short lists of objects, and whole lists of texts', () => {
    expect(shortened({ a: [{}, {}, {}], b: ['x', 'y', 'z'], c: [[1], [2], [3]] })).toEqual({
      a: [{}, {}],
      b: ['x', 'y', 'z'],
      c: [[1], [2]],
    });
  });
});
