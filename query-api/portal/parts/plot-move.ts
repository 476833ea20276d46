/** Moves and zooms what a chart shows, by mouse and by touch. */
import type uPlot from 'uplot';
import { dragged, type Span, shifted, zoomed } from '../format/span.ts';
import { nextTurn, type WheelTurn } from '../format/wheel.ts';

/** Changes what is shown. */
export type ChangeSpan = (change: (span: Span) => Span) => void;

/** Pixels of the wheel that make a span twice as wide. */
const WHEEL_PIXELS = 400;
/** Pixels of a line and of a page, for wheels that count these. */
const WHEEL_UNITS = [1, 16, 400];

let lastTurn: WheelTurn | null = null;
addEventListener(
  'wheel',
  ({ target, timeStamp }) => {
    lastTurn = nextTurn(lastTurn, timeStamp, target instanceof Element && target.closest('.movable .u-over') !== null);
  },
  { capture: true, passive: true },
);

/**
 * Dragging moves, two fingers and the wheel zoom, a sideways wheel moves; a movement of the wheel that began elsewhere
 * scrolls the page. Returns what ends it.
 */
export function followPointers(plot: uPlot, change: ChangeSpan): () => void {
  const area = plot.over;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Where each pointer is that is down, as a part of the width. */
  const pointers = new Map<number, number>();
  const partOf = ({ clientX }: MouseEvent) => {
    const { left, width } = area.getBoundingClientRect();
    return (clientX - left) / width;
  };
  const release = ({ pointerId }: PointerEvent) => pointers.delete(pointerId);
  area.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      pointers.set(event.pointerId, partOf(event));
      area.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  area.addEventListener(
    'pointermove',
    (event) => {
      if (!pointers.has(event.pointerId)) return;
      const before = [...pointers.values()];
      pointers.set(event.pointerId, partOf(event));
      const after = [...pointers.values()];
      change((span) => dragged(span, before, after));
    },
    { signal },
  );
  area.addEventListener('pointerup', release, { signal });
  area.addEventListener('pointercancel', release, { signal });
  area.addEventListener(
    'wheel',
    (event) => {
      if (lastTurn?.isOfPage) return;
      event.preventDefault();
      const unit = WHEEL_UNITS[event.deltaMode] ?? 1;
      const [x, y] = [event.deltaX * unit, event.deltaY * unit];
      if (Math.abs(x) > Math.abs(y)) change((span) => shifted(span, x / area.clientWidth));
      else {
        const at = partOf(event);
        change((span) => zoomed(span, 2 ** (y / WHEEL_PIXELS), at));
      }
    },
    { signal, passive: false },
  );
  return () => stopping.abort();
}
