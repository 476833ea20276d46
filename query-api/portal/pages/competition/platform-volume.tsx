/** What was traded under the builders of the organization, by anyone. */
import { useResource } from '../../live/resource.ts';
import { Fact } from '../../parts/fact.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { Period } from './period.tsx';
import type { PlatformVolume } from './shapes.ts';

const TITLE = 'Volume of the platform';
const REFRESH_MS = 60_000;
const NO_BUILDER_FEE = 'not stated for venue_b';

type Row = PlatformVolume['byVenue'][number];

const COLUMNS: readonly Column<Row>[] = [
  { field: 'venue', label: 'Venue', render: ({ venue }) => <code>{venue}</code> },
  {
    field: 'volumeUsd',
    label: 'Traded',
    isNumber: true,
    render: ({ volumeUsd }) => <Num value={volumeUsd} digits={2} />,
  },
  { field: 'tradeCount', label: 'Fills', isNumber: true, render: ({ tradeCount }) => <Num value={tradeCount} /> },
  {
    field: 'builderFeeUsd',
    label: 'Builder fee',
    isNumber: true,
    render: ({ builderFeeUsd }) => <Num value={builderFeeUsd} digits={2} reason={NO_BUILDER_FEE} />,
  },
  {
    field: 'walletCount',
    label: 'Own wallets with a fill',
    isNumber: true,
    render: ({ walletCount }) => <Num value={walletCount} />,
  },
  {
    field: 'dataThrough',
    label: 'Complete until',
    isNumber: true,
    render: ({ dataThrough }) => (dataThrough === null ? 'nothing has arrived yet' : <Moment at={dataThrough} />),
  },
];

/** @param from the start of the window; null for all time. */
export function PlatformVolumePanel({ from }: { readonly from: string | null }) {
  const registered = useResource<{ readonly attributions: readonly unknown[] }>(
    '/v1/me/platform-attributions',
    REFRESH_MS,
  );
  if (registered.data.value?.attributions.length) return <Volume from={from} />;
  return (
    <Panel
      title={TITLE}
      resource={registered}
      isEmpty={() => true}
      empty="No builder is registered. Register those of your platform by POST /v1/me/platform-attributions to see what was traded through them."
    >
      {() => null}
    </Panel>
  );
}

function Volume({ from }: { readonly from: string | null }) {
  const query = from === null ? '' : `?${new URLSearchParams({ from })}`;
  const volume = useResource<PlatformVolume>(`/v1/me/platform-volume${query}`, REFRESH_MS, true);
  return (
    <Panel
      title={TITLE}
      resource={volume}
      isEmpty={({ byVenue }) => byVenue.length === 0}
      empty="A venue is listed as soon as a wallet of it is bound."
    >
      {({ byVenue, total, window }) => (
        <>
          <p class="muted">
            Fills of anyone under your registered builders, <Period window={window} />. Amounts are in USD. Files of
            venue_a arrive one to two days late.
          </p>
          <dl class="facts tiles" aria-label="Totals of the platform">
            <Fact label="Traded" field="volumeUsd">
              <Num value={total.volumeUsd} digits={2} />
            </Fact>
            <Fact label="Fills" field="tradeCount">
              <Num value={total.tradeCount} />
            </Fact>
            <Fact label="Builder fee" field="builderFeeUsd">
              <Num value={total.builderFeeUsd} digits={2} reason="no venue of a bound wallet states it" />
            </Fact>
          </dl>
          <Table label={TITLE} rows={byVenue} idOf={({ venue }) => venue} columns={COLUMNS} />
        </>
      )}
    </Panel>
  );
}
