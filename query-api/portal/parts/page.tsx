/** The frame of every page: its heading, its actions, and what stands there while there is nothing to show. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ApiFault } from '../live/api-fault.ts';
import { type Resource, type StaleReason, staleAt, staleReason } from '../live/resource.ts';
import { session } from '../shell/session.ts';
import { FaultText } from './fault.tsx';
import { IsOld } from './is-old.ts';
import { Ago, Clock, Updated } from './time.tsx';
import { Title } from './title.tsx';

export type PageState = 'loading' | 'ready' | 'empty' | 'error' | 'forbidden' | 'missing';

interface PageOptions {
  readonly name: string;
  readonly title: string;
  /** Decides the state, with the faults of the page's main resource. */
  readonly state?: PageState;
  readonly fault?: ApiFault | null;
  readonly onRetry?: () => void;
  /** Unix ms of the shown data, if it is out of date. */
  readonly staleAt?: number | null;
  /** Why it is out of date. */
  readonly staleReason?: StaleReason | null;
  /** Unix ms of the shown data; left out where the page has parts of different ages. */
  readonly updatedAt?: ReadonlySignal<number | null>;
  /** What would be here, and how to get it. */
  readonly empty?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Figures of another choice are only marked, until those of this one have arrived. */
const STALE_TEXTS: Readonly<Record<Exclude<StaleReason, 'other'>, string>> = {
  failed: 'reading them again fails',
  away: 'live updates do not arrive',
  paused: 'updates are paused',
};

/** State of a page whose content is one resource. */
export function stateOf<T>({ data, fault }: Resource<T>, isEmpty: (data: T) => boolean = () => false): PageState {
  if (data.value !== null) return isEmpty(data.value) ? 'empty' : 'ready';
  if (fault.value === null) return 'loading';
  if (fault.value.isForbidden) return 'forbidden';
  return fault.value.isMissing ? 'missing' : 'error';
}

/** What `Page` needs to know about its main resource. */
export function framed<T>(resource: Resource<T>, isEmpty?: (data: T) => boolean) {
  const state = stateOf(resource, isEmpty);
  return {
    state,
    fault: resource.fault.value,
    onRetry: resource.refresh,
    staleAt: staleAt(resource),
    staleReason: staleReason(resource),
    updatedAt: resource.at,
  };
}

export function Page(options: PageOptions) {
  const { name, title, fault = null, staleAt = null, staleReason = null } = options;
  const { updatedAt, actions, children, empty, onRetry } = options;
  const { state = fault === null ? 'ready' : 'error' } = options;
  return (
    <main id="main" tabIndex={-1} class="page" data-page={name} data-state={state}>
      <div class="page-head">
        <h1>
          <Title text={title} />
        </h1>
        {updatedAt && staleAt === null && <Updated at={updatedAt} />}
        {actions && state !== 'forbidden' && <div class="actions">{actions}</div>}
      </div>
      {staleAt !== null && staleReason !== null && staleReason !== 'other' && (
        <p class="banner" data-banner="stale">
          These figures are from <Clock at={staleAt} />, <Ago at={staleAt} />: {STALE_TEXTS[staleReason]}.{' '}
          {staleReason === 'failed' && onRetry && <Retry onRetry={onRetry} />}
        </p>
      )}
      {state === 'loading' && (
        <>
          {session.value?.sandbox && (
            <p class="muted slow" role="status">
              The data set of the sandbox is opened when it is first used, which takes some seconds.
            </p>
          )}
          <Skeleton />
        </>
      )}
      {state === 'empty' && <div class="panel nothing">{empty}</div>}
      {(state === 'error' || state === 'forbidden' || state === 'missing') && fault !== null && (
        <div class="panel">
          <FaultText fault={fault} />
          {onRetry && <Retry onRetry={onRetry} />}
        </div>
      )}
      {(state === 'ready' || (state === 'missing' && fault === null)) && (
        <IsOld.Provider value={staleAt !== null}>{children}</IsOld.Provider>
      )}
    </main>
  );
}

export function Retry({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <button type="button" data-action="retry" onClick={onRetry}>
      Try again
    </button>
  );
}

/** Rows in the place of those that are loading; visible after 150 ms. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} />
      ))}
    </div>
  );
}
