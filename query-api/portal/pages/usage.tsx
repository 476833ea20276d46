import { unitsByDay } from '../format/series.ts';
import { useResource } from '../live/resource.ts';
import { Chart } from '../parts/chart.tsx';
import { Choice, chosen } from '../parts/choice.tsx';
import { Num } from '../parts/number.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';

interface Use {
  readonly day: string;
  readonly sku: string;
  readonly units: number;
}

const REFRESH_MS = 10_000;
const DAY_MS = 86_400_000;
const RANGES = [
  ['30', '30 days'],
  ['7', '7 days'],
  ['90', '90 days'],
] as const;

const COLUMNS: readonly Column<Use>[] = [
  { field: 'day', label: 'Day (UTC)', render: ({ day }) => day },
  { field: 'sku', label: 'SKU', render: ({ sku }) => <code>{sku}</code> },
  { field: 'units', label: 'Units', isNumber: true, render: ({ units }) => <Num value={units} /> },
];

export default function UsagePage() {
  const days = Number(chosen('range', RANGES));
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  const usage = useResource<{ readonly usage: readonly Use[] }>(`/v1/me/usage?from=${from}`, REFRESH_MS);
  const rows = [...(usage.data.value?.usage ?? [])].sort((a, b) => b.day.localeCompare(a.day));
  return (
    <Page
      name="usage"
      title="Usage"
      {...framed(usage, (data) => data.usage.length === 0)}
      actions={<Choice name="range" label="Range" options={RANGES} />}
      empty={<p>Requests and frames of your organization are counted here by day and SKU. None was counted yet.</p>}
    >
      <div class="panel">
        <Chart
          name="usage"
          caption="Units by day, all SKUs"
          kind="bars"
          digits={0}
          data={unitsByDay(rows, days, Date.now())}
        />
      </div>
      <Table label="Usage by day and SKU" rows={rows} idOf={({ day, sku }) => `${day}.${sku}`} columns={COLUMNS} />
    </Page>
  );
}
