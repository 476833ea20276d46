import { describe, expect, it } from 'vitest';
import { fakeConnection, frameOf } from '../testing/fake-socket.fixture.ts';
import { tend } from './keep-alive.ts';

/** Looks once a second until `seconds` have passed; `onSecond` may give signs of life. */
function pass(fake: ReturnType<typeof fakeConnection>, seconds: number, onSecond: (second: number) => void = () => {}) {
  for (let second = 1; second <= seconds && fake.ended.length === 0; second += 1) {
    fake.nowMs += 1_000;
    onSecond(second);
    tend(fake.connection, fake.nowMs);
  }
}

describe('keep-alive', () => {
  it('pings every 25 s and not before', () => {
    const fake = fakeConnection();
    pass(fake, 24);
    expect(fake.counts.pings).toBe(0);
    pass(fake, 1);
    expect(fake.counts.pings).toBe(1);
    pass(fake, 24);
    expect(fake.counts.pings).toBe(1);
    pass(fake, 1);
    expect(fake.counts.pings).toBe(2);
  });

  it('tells `pong` every 30 s and not before', () => {
    const fake = fakeConnection();
    const seen = () => fake.connection.seen();
    pass(fake, 29, seen);
    expect(fake.sent).toEqual([]);
    pass(fake, 1, seen);
    expect(fake.sent).toEqual([{ type: 'pong' }]);
    pass(fake, 29, seen);
    expect(fake.sent.length).toBe(1);
    pass(fake, 1, seen);
    expect(fake.sent.length).toBe(2);
  });

  it('ends with 1001 what gave no sign of life for 60 s, and not before', () => {
    const fake = fakeConnection();
    pass(fake, 59);
    expect(fake.ended).toEqual([]);
    pass(fake, 1);
    expect(fake.ended).toEqual([{ code: 1001, reason: 'idle' }]);
  });

  it('leaves a client that reads too slowly the time to read what it is told', () => {
    const fake = fakeConnection();
    const subscription = fake.subscribe();
    fake.stalled = true;
    const fill = () => {
      for (let seq = 1; seq <= 1_000; seq += 1) fake.connection.gather([frameOf(seq, 10_000)], subscription);
      fake.connection.flush();
    };
    pass(fake, 59, (second) => second === 40 && fill());
    expect(fake.connection.isTooSlow).toBe(true);
    // Found too slow after 50 s, and given another minute.
    pass(fake, 50);
    expect(fake.ended).toEqual([]);
    pass(fake, 1);
    expect(fake.ended).toEqual([{ code: 4008, reason: 'too slow' }]);
  });

  it('keeps what answers the pings', () => {
    const fake = fakeConnection();
    let answered = 0;
    pass(fake, 600, () => {
      if (fake.counts.pings > answered) fake.connection.seen();
      answered = fake.counts.pings;
    });
    expect(fake.ended).toEqual([]);
    expect(fake.counts.pings).toBe(24);
  });
});
