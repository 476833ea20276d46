import { expect, it } from 'vitest';
import { type ConnectionInputs, connectionOf } from './connection-of.ts';

const STREAMING: ConnectionInputs = {
  streamState: 'live',
  awaySince: null,
  quotaSince: null,
  subscriptions: 2,
  isResuming: false,
  pausedAt: null,
  faults: [],
  lastResponseAt: 5,
};
const POLLING: ConnectionInputs = { ...STREAMING, streamState: null };

it.each<[string, ConnectionInputs, ReturnType<typeof connectionOf>['state'], string, number | null]>([
  ['a socket that sends', STREAMING, 'live', 'Live', null],
  ['a socket of a page without subscriptions', { ...STREAMING, subscriptions: 0 }, 'live', 'Connected', null],
  ['a socket that opens', { ...STREAMING, streamState: 'connecting' }, 'connecting', 'Connecting', null],
  ['a socket that is away', { ...STREAMING, streamState: 'waiting', awaySince: 3 }, 'waiting', 'Not connected', 3],
  ['an attempt to return', { ...STREAMING, streamState: 'connecting', awaySince: 3 }, 'connecting', 'Not connected', 3],
  ['an ended session', { ...STREAMING, streamState: 'offline', awaySince: 3 }, 'offline', 'Not connected', 3],
  [
    'a tab that is seen again',
    { ...STREAMING, streamState: 'waiting', awaySince: 3, isResuming: true },
    'waiting',
    'Waiting',
    null,
  ],
  ['a used quota of messages', { ...STREAMING, quotaSince: 4 }, 'waiting', 'Waiting', 4],
  ['a pause with a socket', { ...STREAMING, pausedAt: 7 }, 'waiting', 'Paused', 7],
  [
    'a pause while the socket is away',
    { ...STREAMING, streamState: 'offline', awaySince: 3, pausedAt: 7 },
    'offline',
    'Paused',
    7,
  ],
  ['failed reads beside a socket', { ...STREAMING, faults: [503] }, 'live', 'Live', null],
  ['no socket and no answer yet', { ...POLLING, lastResponseAt: null }, 'connecting', 'Connecting', null],
  ['answers without a socket', POLLING, 'waiting', 'Polling', null],
  ['no answer without a socket', { ...POLLING, faults: [503, 0] }, 'offline', 'Not connected', 5],
  ['refusals without a socket', { ...POLLING, faults: [429] }, 'waiting', 'Waiting', 5],
  ['a pause without a socket', { ...POLLING, pausedAt: 7 }, 'waiting', 'Paused', 7],
])('shows %s', (_, inputs, state, text, since) => {
  expect(connectionOf(inputs)).toMatchObject({ state, text, since });
});

it('says that the page is offline only if it is so without the will of the person', () => {
  const isOffline = (inputs: ConnectionInputs) => connectionOf(inputs).isOffline;
  expect(isOffline({ ...STREAMING, streamState: 'waiting', awaySince: 3 })).toBe(true);
  expect(isOffline({ ...STREAMING, streamState: 'waiting', awaySince: 3, isResuming: true })).toBe(false);
  expect(isOffline({ ...STREAMING, pausedAt: 7 })).toBe(false);
  expect(isOffline({ ...STREAMING, quotaSince: 4 })).toBe(false);
  expect(isOffline({ ...POLLING, faults: [0] })).toBe(true);
  expect(isOffline({ ...POLLING, faults: [429] })).toBe(false);
});
