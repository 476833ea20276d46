/** The span of time that the charts of a market show: the newest bars, or what the address names as `from` and `to`. */
import { batch, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { limited, type Span, type SpanLimits } from '../../format/span.ts';
import type { ChangeSpan } from '../../parts/plot-move.ts';
import { place, setQuery } from '../../shell/router.ts';

/** From the last movement until the address names what is shown, and further bars are read. */
const SETTLED_MS = 250;

/** Names of the parameters of the address. */
export const SPAN_PARAMETERS = ['from', 'to'] as const;

/** The span in the query of an address; null without one, and for anything that is none. */
export function spanOfQuery(query: URLSearchParams): Span | null {
  const [from, to] = SPAN_PARAMETERS.map((name) => Date.parse(query.get(name) ?? ''));
  return from! < to! ? { from: from!, to: to! } : null;
}

export interface ShownSpan {
  /** What the address names; null for the newest bars. */
  readonly named: Span | null;
  /** What is shown in the middle of a movement; null after it. */
  readonly moving: Span | null;
  /** Changes what is shown; never another function, so that whoever draws may hold it. */
  readonly change: ChangeSpan;
  /** Shows the newest bars. */
  readonly reset: () => void;
}

/** @param newest returns the span of the newest bars. */
export function useShownSpan(limits: SpanLimits, newest: () => Span): ShownSpan {
  const moving = useSignal<Span | null>(null);
  const query = spanOfQuery(place.value.query);
  const named = query === null ? null : limited(query, limits);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const now = useRef({ limits, named, newest });
  now.current = { limits, named, newest };
  const actions = useRef<Pick<ShownSpan, 'change' | 'reset'> | null>(null);
  actions.current ??= {
    change(change) {
      const { limits, named, newest } = now.current;
      const span = limited(change(moving.peek() ?? named ?? newest()), limits);
      moving.value = span;
      clearTimeout(timer.current ?? undefined);
      timer.current = setTimeout(() => {
        const [from, to] = [span.from, span.to].map((ms) => new Date(ms).toISOString());
        batch(() => {
          setQuery({ from: from!, to: to! });
          moving.value = null;
        });
      }, SETTLED_MS);
    },
    reset() {
      clearTimeout(timer.current ?? undefined);
      batch(() => {
        setQuery({ from: null, to: null });
        moving.value = null;
      });
    },
  };
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  return { named, moving: moving.value, ...actions.current };
}
