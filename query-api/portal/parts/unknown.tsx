import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Pixels between the reason and the dash, and the edge of the window. */
const GAP = 4;

/** An unknown value: a dash, with the reason on hover, focus and touch. It is never shown as 0. */
export function Unknown({ reason }: { readonly reason: string }) {
  const isShown = useSignal(false);
  const show = () => {
    isShown.value = true;
  };
  const hide = () => {
    isShown.value = false;
  };
  return (
    <button
      type="button"
      class="unknown"
      title={reason}
      aria-label={`Unknown: ${reason}`}
      onFocus={show}
      onClick={show}
      onBlur={hide}
      onKeyDown={({ key }) => key === 'Escape' && hide()}
    >
      –{isShown.value && <Reason text={reason} />}
    </button>
  );
}

/** The reason below the dash, in the top layer of the browser, where nothing clips it. */
function Reason({ text }: { readonly text: string }) {
  const element = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    element.current!.showPopover();
    const place = () => {
      const { style, parentElement, offsetWidth } = element.current!;
      const { left, bottom } = parentElement!.getBoundingClientRect();
      const last = document.documentElement.clientWidth - offsetWidth - GAP;
      style.left = `${Math.max(GAP, Math.min(left, last))}px`;
      style.top = `${bottom + GAP}px`;
    };
    place();
    const stopping = new AbortController();
    addEventListener('scroll', place, { capture: true, signal: stopping.signal });
    addEventListener('resize', place, { signal: stopping.signal });
    return () => stopping.abort();
  }, []);
  return (
    <span ref={element} class="reason" popover="manual" aria-hidden="true">
      {text}
    </span>
  );
}
