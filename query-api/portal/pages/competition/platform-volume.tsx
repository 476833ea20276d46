/** What was traded under the builders of the organization, by anyone. */
import { useResource } from '../../live/resource.ts';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import type { PlatformVolume } from './shapes.ts';

const REFRESH_MS = 60_000;
const NO_BUILDER_FEE = 'venue_b states none';

type Row = PlatformVolume['byVenue'][number];

const COLUMNS: readonly Column<Row>[] = [
  { field: 'venue', label: 'Venue', render: ({ venue }) => <code>{venue}</code> },
  {
    field: 'volumeUsd',
    label: 'Traded, USD',
    isNumber: true,
    render: ({ volumeUsd }) => <Num value={volumeUsd} digits={2} />,
  },
  { field: 'tradeCount', label: 'Fills', isNumber: true, render: ({ tradeCount }) => <Num value={tradeCount} /> },
  {
    field: 'builderFeeUsd',
    label: 'Builder fee, USD',
    isNumber: true,
    render: ({ builderFeeUsd }) => <Num value={builderFeeUsd} digits={2} reason={NO_BUILDER_FEE} />,
  },
  { field: 'walletCount', label: 'Wallets', isNumber: true, render: ({ walletCount }) => <Num value={walletCount} /> },
  {
    field: 'dataThrough',
    label: 'Data through',
    render: ({ dataThrough }) => <Moment at={dataThrough} reason="no file of a builder has arrived yet" />,
  },
];

/** @param from the start of the window; null for all time. */
export function PlatformVolumePanel({ from }: { readonly from: string | null }) {
  const query = from === null ? '' : `?${new URLSearchParams({ from })}`;
  const volume = useResource<PlatformVolume>(`/v1/me/platform-volume${query}`, REFRESH_MS, true);
  return (
    <Panel
      title="Volume of the platform"
      resource={volume}
      isEmpty={({ byVenue }) => byVenue.length === 0}
      empty="A venue is listed as soon as a wallet of it is bound."
    >
      {({ byVenue }) => (
        <Table label="Volume of the platform" rows={byVenue} idOf={({ venue }) => venue} columns={COLUMNS} />
      )}
    </Panel>
  );
}
