import { describe, expect, it } from 'vitest';
import { StreamCheck } from './stream-check.ts';

const TIMED = 'svc:stream:trade:venue_a_perp';
const OTHER = 'svc:stream:event:evt_1';

function event(channel: string, seq: number, ts = '2026-01-15T12:10:00.250Z'): Buffer {
  return Buffer.from(
    `{"type":"event","subscription_id":"sub_0123456789abcdef","channel":"${channel}","epoch":"e1","seq":${seq},` +
      `"cursor":"c","data":{"type":"trade.observed","provider":"p","marketId":null,"payload":{"id":"i","ts":"${ts}"},"receivedAt":1}}`,
  );
}

function received(...frames: (Buffer | object)[]): StreamCheck {
  const check = new StreamCheck(TIMED);
  for (const frame of frames) check.frame(Buffer.isBuffer(frame) ? frame : Buffer.from(JSON.stringify(frame)));
  return check;
}

const subscribed = { type: 'subscribed', subscription_id: 'sub_1', channel: TIMED, cursor: 'c' };

describe('missing events of a subscriber', () => {
  it('are zero while the numbers of each channel are contiguous, whatever the first one is', () => {
    const check = received(event(TIMED, 7), event(OTHER, 3), event(TIMED, 8), event(OTHER, 4));
    expect([check.missing, check.events]).toEqual([0, 4]);
  });

  it('include every skipped number', () => {
    expect(received(event(TIMED, 7), event(OTHER, 1), event(TIMED, 11)).missing).toBe(3);
  });

  it('include the count of a lagged frame once, although the numbers jump as well', () => {
    const lagged = { type: 'lagged', subscription_id: 'sub_1', fromSeq: 8, toSeq: 12, dropped: 5 };
    expect(received(subscribed, event(TIMED, 7), lagged, event(TIMED, 13)).missing).toBe(5);
  });

  it('include one for a gap, whose length is unknown, and one for an error', () => {
    const gap = { type: 'gap', subscription_id: 'sub_1', from: 'a', to: 'b', refill: null };
    const error = { type: 'error', error: 'quota_exceeded' };
    expect(received(subscribed, event(TIMED, 7), gap, event(TIMED, 90), error).missing).toBe(2);
  });

  it('restart at zero after a reset and continue from the last numbers', () => {
    const check = received(event(TIMED, 7), event(TIMED, 9));
    check.reset();
    check.frame(event(TIMED, 11));
    expect([check.missing, check.events]).toEqual([1, 1]);
  });
});

describe('the newest trade of a subscriber', () => {
  it('is the latest by venue time, of the timed channel only', () => {
    const check = received(event(TIMED, 1), event(TIMED, 2, '2026-01-15T12:09:59.000Z'), event(OTHER, 1, 'no time'));
    expect(check.newestTradeMs).toBe(Date.UTC(2026, 0, 15, 12, 10, 0, 250));
  });

  it('is null before the first trade', () => {
    expect(received(subscribed).newestTradeMs).toBeNull();
  });
});

it('counts confirmed subscriptions', () => {
  expect(received(subscribed, { ...subscribed, subscription_id: 'sub_2' }).subscriptions).toBe(2);
});
