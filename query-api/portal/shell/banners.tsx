import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { spanText } from '../format/time.ts';
import { isSandbox, quotaUsedUntil, request } from '../live/api.ts';
import { adviceFor } from '../live/api-fault.ts';
import { connection } from '../live/connection.ts';
import { messageQuota } from '../live/message-quota.ts';
import { serviceNow } from '../live/service-clock.ts';
import { type Absence, lastAbsence, lastGaps } from '../live/stream.ts';
import { Clock } from '../parts/time.tsx';
import { session, signOutFault } from './session.ts';

type BannerName = 'sandbox' | 'recording' | 'stale' | 'offline' | 'quota';

function Banner({ name, children }: { readonly name: BannerName; readonly children: ComponentChildren }) {
  return (
    <p class="banner" data-banner={name}>
      {children}
    </p>
  );
}

/** True while the service plays a recording. */
function useRecording(): boolean {
  const isRecording = useSignal(false);
  useSignalEffect(() => {
    const stopping = new AbortController();
    request<{ readonly playback?: string }>('/health', { signal: stopping.signal }).then(
      ({ playback }) => {
        isRecording.value = playback !== undefined;
      },
      // A service that is not ready answers 503; the page itself says so.
      () => {},
    );
    return () => stopping.abort();
  });
  return isRecording.value;
}

const missingText = ({ size }: ReadonlySet<string>): string =>
  `Events of ${size === 1 ? 'a channel' : `${size} channels`} are missing; the figures are read again`;

/** What was missed while the connection was away. */
function Returned({ absence: { from, to, gaps } }: { readonly absence: Absence }) {
  return (
    <p class="banner good" data-notice="returned" role="status">
      Connected again after {spanText(to - from)}, since <Clock at={to} />.{' '}
      {gaps.size === 0 ? 'Everything that was published meanwhile has been sent afterwards.' : `${missingText(gaps)}.`}
    </p>
  );
}

export function Banners() {
  const isRecording = useRecording();
  const { isOffline, since } = connection.value;
  const messages = messageQuota.value;
  const until = quotaUsedUntil.value;
  return (
    <div class="banners">
      {(session.value?.sandbox || isSandbox.value) && (
        <Banner name="sandbox">Sandbox: this is a fixed data set made by the simulator, not live markets.</Banner>
      )}
      {isRecording && (
        <Banner name="recording">A recording is played: times and prices are those of the recording.</Banner>
      )}
      {isOffline && (
        <Banner name="offline">
          Not connected
          {since !== null && (
            <>
              {' '}
              since <Clock at={since} />
            </>
          )}
          . What you see is from before; it continues by itself.
        </Banner>
      )}
      {signOutFault.value && (
        <p class="banner" data-notice="signed-in" role="alert">
          You are still signed in. {signOutFault.value.message} {adviceFor(signOutFault.value)}
        </p>
      )}
      {lastAbsence.value && <Returned absence={lastAbsence.value} />}
      {lastGaps.value.size > 0 && (
        <p class="banner" data-notice="gap" role="status">
          {missingText(lastGaps.value)}.
        </p>
      )}
      {messages && (
        <Banner name="quota">
          The quota of stream messages is used up
          {messages.until !== null && (
            <>
              {' '}
              until <Clock at={messages.until} />
            </>
          )}
          . Figures are read every few seconds instead.
        </Banner>
      )}
      {until > serviceNow() && (
        <Banner name="quota">
          The quota is used up until <Clock at={until} />.
        </Banner>
      )}
    </div>
  );
}
