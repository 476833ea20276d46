/** Whether what the page shows arrives live, and since when it does not. */
import { connection } from '../live/connection.ts';
import { Clock } from '../parts/time.tsx';

const NO_CHANNELS = 'This key may not subscribe to channels. Figures are read again every few seconds.';

export function Connection() {
  const { state, text, since, isPolling } = connection.value;
  return (
    <div class="connection" data-connection={state} role="status" title={isPolling ? NO_CHANNELS : undefined}>
      <span class="dot" aria-hidden="true" />
      {text}
      {since !== null && (
        <>
          {' since '}
          <Clock at={since} />
        </>
      )}
    </div>
  );
}
