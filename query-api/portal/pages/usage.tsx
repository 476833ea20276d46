import { unitsByDay } from '../format/series.ts';
import { useResource } from '../live/resource.ts';
import { Chart } from '../parts/chart.tsx';
import { Choice, chosen } from '../parts/choice.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Day } from '../parts/time.tsx';
import { QuotaBars, type Quotas } from './usage/quotas.tsx';

interface Use {
  readonly day: string;
  readonly sku: string;
  readonly units: number;
}

const QUOTAS_MS = 5_000;
const USAGE_MS = 10_000;
const DAY_MS = 86_400_000;
const RANGES = [
  ['30', '30 days'],
  ['7', '7 days'],
  ['90', '90 days'],
] as const;

const COLUMNS: readonly Column<Use>[] = [
  { field: 'day', label: 'Day (UTC)', render: ({ day }) => <Day day={day} /> },
  { field: 'sku', label: 'SKU', render: ({ sku }) => <code>{sku}</code> },
  { field: 'units', label: 'Units', isNumber: true, render: ({ units }) => <Num value={units} /> },
];

export default function UsagePage() {
  const days = Number(chosen('range', RANGES));
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const quotas = useResource<Quotas>('/v1/me/quotas', QUOTAS_MS);
  const usage = useResource<{ readonly usage: readonly Use[] }>(`/v1/me/usage?from=${from}`, USAGE_MS);
  return (
    <Page
      name="usage"
      title="Usage"
      {...framed(quotas)}
      actions={<Choice name="range" label="Range" options={RANGES} />}
    >
      {quotas.data.value && <QuotaBars quotas={quotas.data.value} />}
      <Panel
        title="Usage"
        resource={usage}
        isEmpty={(data) => data.usage.length === 0}
        empty="Requests and frames of your organization are counted here by day and SKU. None was counted yet."
      >
        {(data) => <UsageByDay usage={data.usage} days={days} />}
      </Panel>
    </Page>
  );
}

function UsageByDay({ usage, days }: { readonly usage: readonly Use[]; readonly days: number }) {
  const skus = [...new Set(usage.map(({ sku }) => sku))].sort();
  const options = [['', 'All'], ...skus.map((sku) => [sku, sku] as const)] as const;
  const sku = chosen('sku', options);
  const rows = usage.filter((use) => sku === '' || use.sku === sku).sort((a, b) => b.day.localeCompare(a.day));
  return (
    <>
      <div class="filters">
        <Choice name="sku" label="SKU" options={options} />
      </div>
      <Chart
        name="usage"
        caption={sku === '' ? 'Units by day, all SKUs' : `Units by day, ${sku}`}
        kind="bars"
        digits={0}
        data={unitsByDay(rows, days, Date.now())}
      />
      <Table label="Usage by day and SKU" rows={rows} idOf={(use) => `${use.day}.${use.sku}`} columns={COLUMNS} />
    </>
  );
}
