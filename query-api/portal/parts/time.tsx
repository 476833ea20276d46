/** Times in UTC or local time, as the person chose; the exact one is shown on hover. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { Fragment } from 'preact';
import { agoText, clockText, exactText, momentText, spanText } from '../format/time.ts';
import { serviceNow } from '../live/service-clock.ts';
import { isUtc } from '../shell/theme.ts';
import { Unknown } from './unknown.tsx';

const TICK_MS = 1_000;

/** Unix ms, once a second while the tab is visible. */
const now = signal(serviceNow());
setInterval(() => {
  if (!document.hidden) now.value = serviceNow();
}, TICK_MS);

interface TimeProps {
  /** Unix ms or ISO-8601; null is unknown. */
  readonly at: number | string | null;
  /** Why the time is unknown. */
  readonly reason?: string;
}

const toMs = (at: number | string): number => (typeof at === 'number' ? at : Date.parse(at));

/** The time of day; the exact time on hover. */
export function Clock({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactText(at, isUtc.value)}>
      {clockText(at, isUtc.value)}
    </time>
  );
}

/** A day, which is never broken at its hyphens. */
export function Day({ day }: { readonly day: string }) {
  return (
    <time class="whole" dateTime={day}>
      {day}
    </time>
  );
}

/** Date and time; a line may break between the two only. */
export function Moment({ at, reason = 'not known' }: TimeProps) {
  if (at === null) return <Unknown reason={reason} />;
  const ms = toMs(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactText(ms, isUtc.value)}>
      <Whole texts={momentText(ms, isUtc.value).split(' ')} />
    </time>
  );
}

/** How long ago something happened. */
export function Ago({ at, reason = 'not known' }: TimeProps) {
  if (at === null) return <Unknown reason={reason} />;
  const ms = toMs(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactText(ms, isUtc.value)}>
      {agoText(now.value - ms)}
    </time>
  );
}

/** How old the figures of a resource are. */
export function Updated({ at }: { readonly at: ReadonlySignal<number | null> }) {
  if (at.value === null) return null;
  return (
    <span class="muted updated" data-field="updated">
      Updated <Ago at={at.value} />
    </span>
  );
}

/** How long it is until something happens. */
export function Until({ at }: { readonly at: number | string }) {
  const ms = toMs(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={exactText(ms, isUtc.value)}>
      in {spanText(Math.max(0, ms - now.value))}
    </time>
  );
}

/** Texts with a space between them, each of which stays on one line. */
export function Whole({ texts }: { readonly texts: readonly string[] }) {
  return (
    <>
      {texts.map((text, index) => (
        <Fragment key={text}>
          {index > 0 && ' '}
          <span class="whole">{text}</span>
        </Fragment>
      ))}
    </>
  );
}
