/** A part of a page with a heading and a resource of its own: one part that fails leaves the others as they are. */
import type { ComponentChildren } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { type Resource, staleAt } from '../live/resource.ts';
import { FaultText } from './fault.tsx';
import { IsOld } from './is-old.ts';
import { Json, WithJson } from './json.tsx';
import { Retry, Skeleton, stateOf } from './page.tsx';
import { Ago, Clock, Updated } from './time.tsx';

interface PanelProps<T> {
  readonly title: string;
  readonly resource: Resource<T>;
  readonly isEmpty?: (data: T) => boolean;
  /** What would be here, and when. */
  readonly empty?: ComponentChildren;
  /** What changes what is shown; there in every state. */
  readonly actions?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

export function Panel<T>({ title, resource, isEmpty, empty, actions, children }: PanelProps<T>) {
  const id = useId();
  const hasJson = useContext(WithJson);
  const state = stateOf(resource, isEmpty);
  const { data, fault } = resource;
  const old = staleAt(resource);
  return (
    <section class="panel" aria-labelledby={id} data-state={state}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {old === null ? (
          <Updated at={resource.at} />
        ) : (
          <span class="muted" data-field="age">
            as of <Clock at={old} />, <Ago at={old} />
          </span>
        )}
        {hasJson && data.value !== null && <Json title={title} value={data.value} />}
      </div>
      {actions}
      {state === 'loading' && <Skeleton rows={5} />}
      {state === 'empty' && <div class="muted">{empty}</div>}
      {data.value === null && fault.value !== null && (
        <>
          <FaultText fault={fault.value} />
          <Retry onRetry={resource.refresh} />
        </>
      )}
      {state === 'ready' && data.value !== null && (
        <div class="panel-body" data-stale={old === null ? undefined : ''}>
          <IsOld.Provider value={old !== null}>{children(data.value)}</IsOld.Provider>
        </div>
      )}
    </section>
  );
}
