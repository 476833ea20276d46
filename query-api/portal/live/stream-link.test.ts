import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock, FakeSocket } from '#stream-gateway/client/fakes.fixture';
import { StreamClient } from '#stream-gateway/client/stream-client';
import { LOST_AFTER_MS, StreamLink } from './stream-link.ts';

let clock: FakeClock;
let sockets: FakeSocket[];
let client: StreamClient;
let link: StreamLink;
let reports: (number | null)[];
let renewals: number;
/** What the session's read resolves with; null to fail. */
let renewed: string | null;
let begunAt: number;

beforeEach(() => {
  clock = createFakeClock();
  clock.chance = 1;
  begunAt = clock.now();
  sockets = [];
  reports = [];
  renewals = 0;
  renewed = 'second';
  link = new StreamLink({
    clock,
    renew: () => {
      renewals += 1;
      return renewed === null ? Promise.reject(new Error('unreachable')) : Promise.resolve(renewed);
    },
    onLost: (since) => reports.push(since),
  });
  client = new StreamClient({
    url: 'ws://gateway/v1/stream',
    clock,
    createSocket: (_url, protocols) => {
      const socket = new FakeSocket(protocols);
      sockets.push(socket);
      return socket;
    },
    onState: (state) => link.onState(state),
  });
});

const newest = () => sockets.at(-1)!;
const settle = () => new Promise((resolve) => setTimeout(resolve));
function openLive(): void {
  link.open(client, 'first');
  newest().open();
  reports = [];
}

describe('the connection of a tab', () => {
  it('offers the CSRF value of the session', () => {
    link.open(client, 'first');
    expect(newest().protocols).toEqual(['csrf.first']);
  });

  it('is reported as away after a second, with the time of the loss, and as back at its return', () => {
    openLive();
    newest().end(1006);
    clock.advance(LOST_AFTER_MS - 1);
    expect(reports).toEqual([]);
    clock.advance(1);
    expect(reports).toEqual([begunAt]);
    newest().open();
    expect(reports).toEqual([begunAt, null]);
  });

  it('is not reported when it returns at once', () => {
    openLive();
    newest().end(1006);
    clock.advance(600);
    newest().open();
    clock.advance(10_000);
    expect(reports).toEqual([null]);
  });

  it('is reported as away if the first attempt has no success', () => {
    link.open(client, 'first');
    clock.advance(LOST_AFTER_MS);
    expect(reports).toEqual([begunAt]);
  });

  it('is tried again every two seconds or sooner, however long it was away and whatever the server asked for', async () => {
    openLive();
    newest().end(1012);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { length } = sockets;
      clock.advance(2_000);
      await settle();
      expect(sockets.length).toBeGreaterThan(length);
      newest().end(1006);
    }
  });

  it('reads the session again after some failures, since a refused upgrade looks like a lost one', async () => {
    openLive();
    for (let attempt = 0; attempt < 4; attempt += 1) {
      newest().end(1006);
      clock.advance(2_000);
      await settle();
    }
    expect(renewals).toBe(1);
    newest().end(1006);
    clock.advance(2_000);
    expect(newest().protocols).toEqual(['csrf.second']);
  });

  it('continues with the new session after the old one ended', async () => {
    openLive();
    newest().end(4001);
    expect(client.state.name).toBe('offline');
    clock.advance(2_000);
    await settle();
    expect(renewals).toBe(1);
    expect(newest().protocols).toEqual(['csrf.second']);
  });

  it('reads the session until that succeeds', async () => {
    openLive();
    renewed = null;
    newest().end(4001);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      clock.advance(2_000);
      await settle();
    }
    expect([renewals, sockets.length]).toEqual([3, 1]);
    renewed = 'second';
    clock.advance(2_000);
    await settle();
    expect(sockets).toHaveLength(2);
  });

  it('is closed while the tab is hidden, and what was shown counts as old until it is back', async () => {
    openLive();
    clock.advance(5_000);
    link.suspend();
    expect(newest().isClosed).toBe(true);
    expect(reports).toEqual([begunAt + 5_000]);
    clock.advance(60_000);
    await settle();
    expect([sockets.length, clock.timers, renewals]).toEqual([1, 0, 0]);
    link.resume();
    newest().open();
    expect(reports.at(-1)).toBeNull();
  });

  it('stays closed after signing out, also when a read of the session ends later', async () => {
    openLive();
    newest().end(4001);
    clock.advance(2_000);
    link.close();
    await settle();
    clock.advance(60_000);
    link.resume();
    expect(sockets).toHaveLength(1);
    expect(reports.at(-1)).toBeNull();
    link.open(client, 'third');
    expect(newest().protocols).toEqual(['csrf.third']);
  });
});
