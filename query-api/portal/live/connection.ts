/**
 * The state of the connection: of the socket, or without one of what the page reads again and again. Only a socket is
 * `live`. Without one it is `waiting`, or `offline` while nothing is reached.
 */
import { computed } from '@preact/signals';
import { isPaused } from './activity.ts';
import { faultyResources, lastResponseAt } from './resource.ts';
import { awaySince, isResuming, streamState } from './stream.ts';

export type Connection = 'connecting' | 'live' | 'waiting' | 'offline';

export const connection = computed<Connection>(() => {
  if (streamState.value !== null) return streamState.value;
  const faults = [...faultyResources.value.values()];
  if (faults.some(({ status }) => status === 0)) return 'offline';
  if (faults.length > 0 || isPaused.value) return 'waiting';
  return lastResponseAt.value === null ? 'connecting' : 'waiting';
});

/** True for a session that may subscribe to no channel, while what it reads again and again is returned. */
export const isPolling = computed(
  () => streamState.value === null && lastResponseAt.value !== null && faultyResources.value.size === 0,
);

/** True while the page is not live, and the person must be informed of it. */
export const isOffline = computed(() =>
  streamState.value === null ? connection.value === 'offline' : awaySince.value !== null && !isResuming.value,
);

/** Unix ms since which the page is not live; null while it is. */
export const offlineSince = computed(() => {
  if (streamState.value !== null) return isOffline.value ? awaySince.value : null;
  return (connection.value === 'offline' || connection.value === 'waiting') && !isPolling.value
    ? lastResponseAt.value
    : null;
});
