import { describe, expect, it } from 'vitest';
import { parseClientFrame } from './frames.ts';

const subscribe = (fields: object) =>
  parseClientFrame(JSON.stringify({ type: 'subscribe', channel: 'svc:stream:event:evt_1', ...fields }));

describe('a subscribe frame', () => {
  it('starts with the next event if `since` is absent or null', () => {
    for (const frame of [subscribe({}), subscribe({ since: null })])
      expect(frame).toMatchObject({ type: 'subscribe', channel: 'svc:stream:event:evt_1' });
  });

  it('is invalid with an empty `since`, an unknown field or no channel', () => {
    expect(subscribe({ since: '' })).toBeNull();
    expect(subscribe({ cursor: 'c' })).toBeNull();
    expect(subscribe({ channel: undefined })).toBeNull();
  });
});
