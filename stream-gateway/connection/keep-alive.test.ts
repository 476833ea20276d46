import { describe, expect, it } from 'vitest';
import { fakeConnection, frameOf } from '../testing/fake-socket.fixture.ts';
import { checkConnection } from './keep-alive.ts';

/** Checks the connection once a second for `seconds`; `onSecond` may simulate frames from the client. */
function runSeconds(
  fake: ReturnType<typeof fakeConnection>,
  seconds: number,
  onSecond: (second: number) => void = () => {},
) {
  for (let second = 1; second <= seconds && fake.ended.length === 0; second += 1) {
    fake.nowMs += 1_000;
    onSecond(second);
    checkConnection(fake.connection, fake.nowMs);
  }
}

describe('keep-alive', () => {
  it('pings every 25 s and not before', () => {
    const fake = fakeConnection();
    runSeconds(fake, 24);
    expect(fake.counts.pings).toBe(0);
    runSeconds(fake, 1);
    expect(fake.counts.pings).toBe(1);
    runSeconds(fake, 24);
    expect(fake.counts.pings).toBe(1);
    runSeconds(fake, 1);
    expect(fake.counts.pings).toBe(2);
  });

  it('sends `pong` every 30 s and not before', () => {
    const fake = fakeConnection();
    const markAlive = () => fake.connection.markAlive();
    runSeconds(fake, 29, markAlive);
    expect(fake.sent).toEqual([]);
    runSeconds(fake, 1, markAlive);
    expect(fake.sent).toEqual([{ type: 'pong' }]);
    runSeconds(fake, 29, markAlive);
    expect(fake.sent.length).toBe(1);
    runSeconds(fake, 1, markAlive);
    expect(fake.sent.length).toBe(2);
  });

  it('closes a connection with 1001 after 60 s without a frame, and not before', () => {
    const fake = fakeConnection();
    runSeconds(fake, 59);
    expect(fake.ended).toEqual([]);
    runSeconds(fake, 1);
    expect(fake.ended).toEqual([{ code: 1001, reason: 'idle' }]);
  });

  it('gives a client that reads too slowly time to read its last frames', () => {
    const fake = fakeConnection();
    const subscription = fake.subscribe();
    fake.stalled = true;
    const fill = () => {
      for (let seq = 1; seq <= 1_000; seq += 1) fake.connection.bufferRun([frameOf(seq, 10_000)], subscription);
      fake.connection.flush();
    };
    runSeconds(fake, 59, (second) => second === 40 && fill());
    expect(fake.connection.isTooSlow).toBe(true);
    // It was found too slow after 50 s, and has another minute.
    runSeconds(fake, 50);
    expect(fake.ended).toEqual([]);
    runSeconds(fake, 1);
    expect(fake.ended).toEqual([{ code: 4008, reason: 'too slow' }]);
  });

  it('keeps a connection open that answers the pings', () => {
    const fake = fakeConnection();
    let answered = 0;
    runSeconds(fake, 600, () => {
      if (fake.counts.pings > answered) fake.connection.markAlive();
      answered = fake.counts.pings;
    });
    expect(fake.ended).toEqual([]);
    expect(fake.counts.pings).toBe(24);
  });
});
