import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { spanText } from '../format/time.ts';
import { isSandbox, quotaUsedUntil, request } from '../live/api.ts';
import { adviceFor } from '../live/api-fault.ts';
import { isOffline, offlineSince } from '../live/connection.ts';
import { type Absence, lastAbsence } from '../live/stream.ts';
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

/** What was missed while the connection was away. */
function Returned({ absence: { from, to, gaps } }: { readonly absence: Absence }) {
  return (
    <p class="banner good" data-notice="returned" role="status">
      Connected again after {spanText(to - from)}, since <Clock at={to} />.{' '}
      {gaps.size === 0
        ? 'Everything that was published meanwhile has been sent afterwards.'
        : `Events of ${gaps.size === 1 ? 'a channel' : `${gaps.size} channels`} are missing; the figures were read again.`}
    </p>
  );
}

export function Banners() {
  const isRecording = useRecording();
  const since = offlineSince.value;
  const until = quotaUsedUntil.value;
  return (
    <div class="banners">
      {(session.value?.sandbox || isSandbox.value) && (
        <Banner name="sandbox">Sandbox: this is a fixed data set made by the simulator, not live markets.</Banner>
      )}
      {isRecording && (
        <Banner name="recording">A recording is played: times and prices are those of the recording.</Banner>
      )}
      {isOffline.value && (
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
      {until > Date.now() && (
        <Banner name="quota">
          The quota is used up until <Clock at={until} />.
        </Banner>
      )}
    </div>
  );
}
