/** Open positions of the account of a wallet, of every dex. */

import { liquidationDistance, markOf } from '../../format/liquidation.ts';
import { digitsOf } from '../../format/number.ts';
import { useResource } from '../../live/resource.ts';
import { Id } from '../../parts/copy.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Title } from '../../parts/title.tsx';
import { Unknown } from '../../parts/unknown.tsx';
import { hrefTo } from '../../shell/router.ts';
import type { Wallet } from '../pnl/shapes.ts';
import type { AccountFamily } from './account-family.ts';
import type { Positions, VenueAPosition, VenueBPosition } from './shapes.ts';

/** The service returns positions that are at most 5 s old. */
const REFRESH_MS = 20_000;
/** A position that is closed after a smaller move is marked. */
const NEAR = 0.1;
const NOT_STATED = 'the venue does not state it';
const NO_LIQUIDATION = 'no price liquidates it, as while the margin covers any loss';

interface PositionsProps {
  readonly wallet: Wallet;
  readonly family: AccountFamily;
}

export function PositionsPanel({ wallet, family }: PositionsProps) {
  const query = new URLSearchParams({ user: wallet.address, provider: family });
  const read = useResource<Positions>(`/v1/positions?${query}`, REFRESH_MS);
  return (
    <Panel
      title="Open positions"
      resource={read}
      isEmpty={({ positions, warnings }) => positions.length === 0 && warnings.length === 0}
      empty="The account has no open position. One is listed here as soon as it is opened."
    >
      {({ positions, warnings }) => (
        <>
          <Missing warnings={warnings} />
          <VenueA rows={positions.filter((row) => row.provider === 'venue_a')} />
          <VenueB rows={positions.filter((row) => row.provider === 'venue_b')} />
        </>
      )}
    </Panel>
  );
}

const placeOf = ({ provider, dex }: Positions['warnings'][number]): string =>
  dex === null ? provider : dex || 'main dex';

/** What could not be read: its positions are unknown, which is not the same as none. */
function Missing({ warnings }: Pick<Positions, 'warnings'>) {
  if (warnings.length === 0) return null;
  return (
    <ul class="fault" role="alert">
      {[...new Set(warnings.map(({ message }) => message))].map((message) => {
        const alike = warnings.filter((warning) => warning.message === message);
        return (
          <li key={message} data-error-code={alike[0]!.code}>
            <strong>{alike.map(placeOf).join(', ')}</strong>: {message}
          </li>
        );
      })}
    </ul>
  );
}

const marketPath = (dex: string, coin: string) =>
  dex === ''
    ? `/portal/markets/perp/${encodeURIComponent(coin)}`
    : `/portal/markets/dex/${encodeURIComponent(dex)}/${encodeURIComponent(coin.slice(dex.length + 1))}`;

function Distance({ row }: { readonly row: VenueAPosition }) {
  const distance = liquidationDistance(row);
  return (
    <span class={distance !== null && distance < NEAR ? 'down' : undefined}>
      <Num value={distance} digits={1} percent unit=" %" reason={NO_LIQUIDATION} />
    </span>
  );
}

function VenueA({ rows }: { readonly rows: readonly VenueAPosition[] }) {
  if (rows.length === 0) return null;
  const figure = (
    field: 'szi' | 'entryPx' | 'positionValue' | 'unrealizedPnl' | 'liquidationPx' | 'marginUsed',
    label: string,
    options: { readonly digits?: number; readonly signed?: boolean; readonly reason?: string } = {},
  ): Column<VenueAPosition> => {
    const { digits = digitsOf(rows.map((row) => row[field])), signed = false, reason = NOT_STATED } = options;
    return {
      field,
      label,
      isNumber: true,
      render: (row) => <Num value={row[field]} digits={digits} signed={signed} reason={reason} />,
    };
  };
  const columns: readonly Column<VenueAPosition>[] = [
    {
      field: 'coin',
      label: 'Market',
      render: ({ coin, dex }) =>
        coin === null ? <Unknown reason={NOT_STATED} /> : <a href={hrefTo(marketPath(dex, coin))}>{coin}</a>,
    },
    { field: 'dex', label: 'Dex', render: ({ dex }) => (dex === '' ? 'main' : <code>{dex}</code>) },
    figure('szi', 'Size', { signed: true }),
    figure('entryPx', 'Entry'),
    {
      field: 'mark',
      label: 'Mark',
      isNumber: true,
      render: (row) => <Num value={markOf(row)} digits={digitsOf([row.entryPx]) + 1} reason={NOT_STATED} />,
    },
    figure('positionValue', 'Value', { digits: 2 }),
    figure('unrealizedPnl', 'Unrealized', { digits: 2, signed: true }),
    figure('liquidationPx', 'Liquidation', { reason: NO_LIQUIDATION }),
    {
      field: 'liquidationDistance',
      label: 'Distance',
      isNumber: true,
      render: (row) => <Distance row={row} />,
    },
    figure('marginUsed', 'Margin', { digits: 2 }),
    {
      field: 'leverage',
      label: 'Leverage',
      render: ({ leverage }) =>
        leverage === null || leverage.value === null ? (
          <Unknown reason={NOT_STATED} />
        ) : (
          `${leverage.value}× ${leverage.type ?? ''}`
        ),
    },
  ];
  return (
    <>
      <Table label="Positions" rows={rows} idOf={({ dex, coin }) => `${dex}.${coin}`} columns={columns} />
      <p class="muted">
        Amounts are in the collateral of each dex. The distance is the move of the mark price at which the venue closes
        the position.
      </p>
    </>
  );
}

function VenueB({ rows }: { readonly rows: readonly VenueBPosition[] }) {
  if (rows.length === 0) return null;
  const columns: readonly Column<VenueBPosition>[] = [
    {
      field: 'title',
      label: 'Market',
      isWide: true,
      render: ({ title, conditionId }) => (title === null ? <Id value={conditionId ?? '–'} /> : <Title text={title} />),
    },
    { field: 'outcome', label: 'Outcome', render: ({ outcome }) => outcome ?? <Unknown reason={NOT_STATED} /> },
    {
      field: 'size',
      label: 'Tokens',
      isNumber: true,
      render: ({ size }) => <Num value={size} digits={digitsOf(rows.map((row) => row.size))} reason={NOT_STATED} />,
    },
    {
      field: 'avgPrice',
      label: 'Average price',
      isNumber: true,
      render: ({ avgPrice }) => <Num value={avgPrice} digits={4} reason={NOT_STATED} />,
    },
    {
      field: 'currentValue',
      label: 'Value, USD',
      isNumber: true,
      render: ({ currentValue }) => <Num value={currentValue} digits={2} reason={NOT_STATED} />,
    },
    {
      field: 'cashPnl',
      label: 'Profit, USD',
      isNumber: true,
      render: ({ cashPnl }) => <Num value={cashPnl} digits={2} signed reason={NOT_STATED} />,
    },
  ];
  return (
    <Table
      label="Positions"
      rows={rows}
      idOf={({ conditionId, outcome }) => `${conditionId}.${outcome}`}
      columns={columns}
    />
  );
}
