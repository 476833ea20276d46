/** A part of a page with a heading and a resource of its own: one part that fails leaves the others as they are. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Resource } from '../live/resource.ts';
import { FaultText } from './fault.tsx';
import { Skeleton, stateOf } from './page.tsx';
import { Clock } from './time.tsx';

interface PanelProps<T> {
  readonly title: string;
  readonly resource: Resource<T>;
  readonly isEmpty?: (data: T) => boolean;
  /** What would be here, and when. */
  readonly empty?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

export function Panel<T>({ title, resource, isEmpty, empty, children }: PanelProps<T>) {
  const id = useId();
  const state = stateOf(resource, isEmpty);
  const { data, fault, at } = resource;
  const isStale = data.value !== null && fault.value !== null;
  return (
    <section class="panel" aria-labelledby={id} data-state={state}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {isStale && at.value !== null && (
          <span class="muted">
            as of <Clock at={at.value} />
          </span>
        )}
      </div>
      {state === 'loading' && <Skeleton rows={5} />}
      {state === 'empty' && <div class="muted">{empty}</div>}
      {data.value === null && fault.value !== null && <FaultText fault={fault.value} />}
      {state === 'ready' && data.value !== null && (
        <div class="panel-body" data-stale={isStale ? '' : undefined}>
          {children(data.value)}
        </div>
      )}
    </section>
  );
}
