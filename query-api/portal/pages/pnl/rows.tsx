/** Rows of profit and loss, each of an event opened to its tokens, and these to lots and events. */
import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Id } from '../../parts/copy.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Title } from '../../parts/title.tsx';
import { hrefTo, setQuery } from '../../shell/router.ts';
import { eventPath } from '../event/shapes.ts';
import { WalletLink } from '../wallet/wallet-link.tsx';
import { CoverageMark, FEES, positionColumns, RESULTS, TRADES, usdColumn } from './columns.tsx';
import { walletsCovering } from './covering.ts';
import { idOfRow } from './csv.ts';
import { Explain } from './explain.tsx';
import { Outcome } from './outcome.tsx';
import type { Leg, Row, Wallet } from './shapes.ts';
import { unpricedOf } from './unpriced.ts';

export type Group = 'event' | 'wallet' | 'provider' | 'builder';

function eventName({ universalId, canonicalName, legs }: Row) {
  if (universalId)
    return (
      <a href={hrefTo(eventPath(universalId))}>
        <Title text={canonicalName ?? universalId} />
      </a>
    );
  return canonicalName ?? <Id value={legs?.[0]?.marketId ?? legs?.[0]?.tokenId ?? 'no market'} />;
}

const NAMES: Readonly<Record<Exclude<Group, 'event'>, readonly Column<Row>[]>> = {
  wallet: [
    {
      field: 'label',
      label: 'Wallet',
      isWide: true,
      render: ({ walletId, label, address }) => <WalletLink id={walletId!} label={label ?? ''} address={address!} />,
    },
    { field: 'address', label: 'Address', render: ({ address }) => <Id value={address!} /> },
    { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
  ],
  provider: [{ field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> }],
  builder: [
    {
      field: 'builder',
      label: 'Builder',
      isWide: true,
      render: ({ builder, label }) => (
        <>
          {label} <Id value={builder!} />
        </>
      ),
    },
    { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
  ],
};

interface RowsProps {
  readonly group: Group;
  readonly rows: readonly Row[];
  readonly wallets: readonly Wallet[];
  /** As `sort` of the route: a figure, descending with a minus sign. */
  readonly sort: string;
}

export function Rows({ group, rows, wallets, sort }: RowsProps) {
  const by = sort.replace('-', '');
  const sorting = {
    by,
    isAscending: !sort.startsWith('-'),
    onSort: (next: string) => setQuery({ sort: next === by && sort.startsWith('-') ? next : `-${next}` }),
  };
  if (group === 'event') return <EventRows rows={rows} wallets={wallets} sorting={sorting} />;
  const columns: Column<Row>[] = [
    ...NAMES[group],
    ...RESULTS,
    usdColumn('openPosition', 'Position, USD', { sort: 'openPosition', reason: 'no open position with a mark' }),
    usdColumn('totalNotional', 'Traded, USD', { sort: 'totalNotional' }),
    TRADES,
    FEES,
    MARKS,
  ];
  return <Table label="Profit and loss" rows={rows} idOf={idOfRow} columns={columns} sort={sorting} />;
}

const nameOf = ({ canonicalName }: Row): string => canonicalName ?? 'Market without an event';

const MARKS: Column<Row> = { field: 'coverage', label: 'Coverage', render: marksOf };

function marksOf(row: Row) {
  const unpriced = unpricedOf(row);
  return (
    <span class="tags">
      <CoverageMark coverage={row.coverage} />
      {unpriced > 0 && (
        <span class="tag" title="Open positions without a mark, whose unrealized profit is not known.">
          {unpriced} unpriced
        </span>
      )}
    </span>
  );
}

/** What a row is made of: tokens of outcomes, or the market of a coin, which has no token. */
function legsText({ legs = [] }: Row): string {
  const noun = legs.some(({ tokenId }) => tokenId !== null) ? 'token' : 'market';
  return `${legs.length} ${noun}${legs.length === 1 ? '' : 's'}`;
}

interface EventRowsProps extends Pick<RowsProps, 'rows' | 'wallets'> {
  readonly sorting: NonNullable<Parameters<typeof Table<Row>>[0]['sort']>;
}

function EventRows({ rows, wallets, sorting }: EventRowsProps) {
  const opened = useSignal<string | null>(null);
  const explained = useSignal<Leg | null>(null);
  const toggle = (row: Row) => {
    const id = idOfRow(row);
    opened.value = opened.value === id ? null : id;
  };
  const columns: Column<Row>[] = [
    { field: 'canonicalName', label: 'Event', isWide: true, render: eventName },
    ...RESULTS,
    ...positionColumns(rows),
    TRADES,
    FEES,
    MARKS,
    {
      field: 'legs',
      label: 'Made of',
      render: (row) => (
        <button
          type="button"
          data-action="open"
          aria-expanded={opened.value === idOfRow(row)}
          aria-label={`${legsText(row)} of ${nameOf(row)}`}
          onClick={() => toggle(row)}
        >
          {legsText(row)}
        </button>
      ),
    },
  ];
  const open = rows.find((row) => idOfRow(row) === opened.value);
  const legs = useRef<HTMLElement>(null);
  // They stand below the list, which may be long.
  useEffect(() => legs.current?.scrollIntoView({ block: 'nearest' }), [opened.value]);
  return (
    <Fragment>
      <Table label="Profit and loss" rows={rows} idOf={idOfRow} columns={columns} sort={sorting} />
      {open && (
        <section class="panel" aria-label="Tokens" ref={legs}>
          <h2>{nameOf(open)}</h2>
          <Legs
            legs={open.legs!}
            onExplain={(leg) => {
              explained.value = leg;
            }}
          />
        </section>
      )}
      {explained.value && (
        <Explain
          leg={explained.value}
          name={open ? nameOf(open) : ''}
          wallets={walletsCovering(wallets, explained.value)}
          onClose={() => {
            explained.value = null;
          }}
        />
      )}
    </Fragment>
  );
}

function Legs({ legs, onExplain }: { readonly legs: readonly Leg[]; readonly onExplain: (leg: Leg) => void }) {
  const columns: Column<Leg>[] = [
    { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
    { field: 'outcome', label: 'Outcome', render: Outcome },
    { field: 'tokenId', label: 'Token', render: ({ tokenId, marketId }) => <Id value={tokenId ?? marketId ?? '–'} /> },
    ...RESULTS.map(({ sort: _, ...column }) => column),
    ...positionColumns(legs).map(({ sort: _, ...column }) => column),
    {
      field: 'explain',
      label: 'Explain',
      render: (leg) => (
        <button
          type="button"
          data-action="explain"
          aria-haspopup="dialog"
          aria-label={`Lots and events of ${leg.outcome ?? leg.tokenId ?? 'the coin'}`}
          onClick={() => onExplain(leg)}
        >
          Lots and events
        </button>
      ),
    },
  ];
  return (
    <Table label="Tokens" rows={legs} idOf={({ tokenId, marketId }) => tokenId ?? marketId ?? ''} columns={columns} />
  );
}
