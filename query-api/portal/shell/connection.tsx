/** Whether what the page shows arrives live, and since when it does not. */
import { computed } from '@preact/signals';
import { connection, offlineSince } from '../live/connection.ts';
import { isPaused } from '../live/resource.ts';
import { Clock } from '../parts/time.tsx';

const TEXT = {
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'Waiting',
  offline: 'Not connected',
} as const;

const text = computed(() => (isPaused.value ? 'Paused' : TEXT[connection.value]));

export function Connection() {
  const since = offlineSince.value;
  return (
    <div class="connection" data-connection={connection.value} role="status">
      <span class="dot" aria-hidden="true" />
      {text.value}
      {since !== null && !isPaused.value && (
        <>
          {' since '}
          <Clock at={since} />
        </>
      )}
    </div>
  );
}
