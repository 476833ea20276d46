/** Whether what the page shows arrives live, and since when it does not. */
import { computed } from '@preact/signals';
import { pausedAt } from '../live/activity.ts';
import { connection, isOffline, isPolling, offlineSince } from '../live/connection.ts';
import { Clock } from '../parts/time.tsx';

const TEXT = {
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'Waiting',
  offline: 'Not connected',
} as const;
const NO_CHANNELS = 'This key may not subscribe to channels. Figures are read again every few seconds.';

const text = computed(() => {
  if (pausedAt.value !== null) return 'Paused';
  if (isPolling.value) return 'Polling';
  // While it is away, attempts come and go; the text stays.
  return isOffline.value ? TEXT.offline : TEXT[connection.value];
});

export function Connection() {
  const since = pausedAt.value ?? offlineSince.value;
  return (
    <div
      class="connection"
      data-connection={connection.value}
      role="status"
      title={isPolling.value ? NO_CHANNELS : undefined}
    >
      <span class="dot" aria-hidden="true" />
      {text.value}
      {since !== null && (
        <>
          {' since '}
          <Clock at={since} />
        </>
      )}
    </div>
  );
}
