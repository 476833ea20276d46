import { expect, it } from 'vitest';
import type { PriceState } from '#schemas/domain/price-state';
import type { StreamMessage } from '#stream-gateway/client/stream-client';
import { hasGap, hasOtherState, isRefusal } from './channel-report.ts';

const status = (state: 'live' | 'stale'): StreamMessage => ({ type: 'status', state, since: 1 });
const gap: StreamMessage = { type: 'gap', from: 'e.1', to: 'e.4', refill: null };
const refusal = (isFinal: boolean): StreamMessage => ({ type: 'error', error: 'subscription_limit', isFinal });

it('finds gaps', () => {
  expect([hasGap([status('live'), gap]), hasGap([status('live')])]).toEqual([true, false]);
});

it('finds refusals that the client does not repeat', () => {
  expect([isRefusal([refusal(true)]), isRefusal([refusal(false), gap])]).toEqual([true, false]);
});

it('finds a state that differs from the one before, which the first one of a channel does not', () => {
  const states = new Map<string, PriceState>();
  const found = [status('live'), status('live'), status('stale'), status('live')].map((one) =>
    hasOtherState('a', [one], states),
  );
  expect(found).toEqual([false, false, true, true]);
  expect(hasOtherState('b', [status('stale')], states)).toBe(false);
});
