import { Num } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Until } from '../../parts/time.tsx';

export interface Quota {
  readonly sku: string;
  readonly window: 'minute' | 'day';
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetAt: string;
}

export interface Quotas {
  readonly plan: string;
  readonly quotas: readonly Quota[];
}

/** A window from which at most this share is left is marked. */
const LOW_SHARE = 0.1;

const isLow = ({ remaining, limit }: Quota) => remaining <= limit * LOW_SHARE;

const COLUMNS: readonly Column<Quota>[] = [
  { field: 'sku', label: 'SKU', render: ({ sku }) => <code>{sku}</code> },
  { field: 'window', label: 'Window', render: ({ window }) => (window === 'minute' ? 'UTC minute' : 'UTC day') },
  {
    field: 'share',
    label: 'Used',
    isWide: true,
    render: (quota) => (
      <progress
        class={isLow(quota) ? 'bar low' : 'bar'}
        max={Math.max(quota.limit, 1)}
        value={Math.min(quota.used, quota.limit)}
        aria-label={`${quota.sku} by ${quota.window}: ${quota.used} of ${quota.limit} units used`}
      />
    ),
  },
  { field: 'used', label: 'Units used', isNumber: true, render: ({ used }) => <Num value={used} /> },
  { field: 'limit', label: 'Limit', isNumber: true, render: ({ limit }) => <Num value={limit} /> },
  {
    field: 'remaining',
    label: 'Left',
    isNumber: true,
    render: (quota) => (
      <span class={isLow(quota) ? 'down' : undefined}>
        <Num value={quota.remaining} />
      </span>
    ),
  },
  { field: 'resetAt', label: 'Resets', isNumber: true, render: ({ resetAt }) => <Until at={resetAt} /> },
];

/** Both windows of each SKU as bars, with the time at which they begin anew. */
export function QuotaBars({ quotas: { plan, quotas } }: { readonly quotas: Quotas }) {
  return (
    <section class="panel" aria-labelledby="quotas">
      <div class="panel-head">
        <h2 id="quotas">Quotas</h2>
        <span>
          plan{' '}
          <span class="tag" data-field="plan">
            {plan}
          </span>
        </span>
      </div>
      {quotas.length === 0 ? (
        <p class="muted">Nothing is limited on this plan.</p>
      ) : (
        <Table label="Quotas" rows={quotas} idOf={({ sku, window }) => `${sku}.${window}`} columns={COLUMNS} />
      )}
      <p class="muted">
        A window without a limit is not listed. All nodes and keys of the organization count together.
      </p>
    </section>
  );
}
