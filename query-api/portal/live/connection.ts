/**
 * The state of what the page reads again and again: `live` while the newest responses are good, `waiting` while some
 * fail, `offline` while nothing is reached.
 */
import { computed } from '@preact/signals';
import { faultyResources, isPaused, lastResponseAt } from './resource.ts';

export type Connection = 'connecting' | 'live' | 'waiting' | 'offline';

export const connection = computed<Connection>(() => {
  const faults = [...faultyResources.value.values()];
  if (faults.some(({ status }) => status === 0)) return 'offline';
  if (faults.length > 0 || isPaused.value) return 'waiting';
  return lastResponseAt.value === null ? 'connecting' : 'live';
});

/** Unix ms of the last response before the connection was lost; null while it is there. */
export const offlineSince = computed(() =>
  connection.value === 'offline' || connection.value === 'waiting' ? lastResponseAt.value : null,
);
