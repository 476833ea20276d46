import { describe, expect, it } from 'vitest';
import { subscriptionState } from './subscription-state.ts';

const followed = { isFollowed: true, isPaused: false, isAccepted: true, refusal: null, received: 3 };

describe('subscriptionState', () => {
  it('is subscribed only while the server has accepted it', () => {
    expect(subscriptionState(followed)).toBe('subscribed');
    expect(subscriptionState({ ...followed, isAccepted: false })).toBe('requested');
  });

  it('is paused, whether or not it was accepted before', () => {
    expect(subscriptionState({ ...followed, isPaused: true })).toBe('paused');
    expect(subscriptionState({ ...followed, isPaused: true, isAccepted: false })).toBe('paused');
  });

  it('says why the server refused it, also once it is no longer followed', () => {
    const refused = { ...followed, isAccepted: false, refusal: 'unknown_channel' };
    expect(subscriptionState(refused)).toBe('refused: unknown_channel');
    expect(subscriptionState({ ...refused, isFollowed: false })).toBe('refused: unknown_channel');
  });

  it('has ended if anything was received, and was none before', () => {
    expect(subscriptionState({ ...followed, isFollowed: false })).toBe('ended');
    expect(subscriptionState({ ...followed, isFollowed: false, received: 0 })).toBe('none yet');
  });
});
