/** Fills of a wallet, newest first, with their finality. */
import { digitsOf } from '../../format/number.ts';
import { usePaged } from '../../live/paged.ts';
import { Id } from '../../parts/copy.tsx';
import { More } from '../../parts/more.tsx';
import { Num } from '../../parts/number.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { Unknown } from '../../parts/unknown.tsx';
import { Outcome } from '../pnl/outcome.tsx';
import type { Fill, Fills as FillList, Wallet } from '../pnl/shapes.ts';
import { noFillText } from './no-fill-text.ts';

const REFRESH_MS = 10_000;
/** Fills that are shown first, and that each press of the button adds. */
const PAGE = 25;
/** What venue_a states for fills without a transaction of their own, such as slices of a TWAP order. */
const NO_HASH = /^0x0+$/;
const TONES: Readonly<Record<string, string>> = { confirmed: 'tag good', reverted: 'tag bad' };

function columnsOf(fills: readonly Fill[]): readonly Column<Fill>[] {
  const priceDigits = digitsOf(fills.map(({ ownPrice }) => ownPrice));
  const feeDigits = digitsOf(fills.map(({ fee }) => fee));
  const qtyDigits = digitsOf(fills.map(({ qty }) => qty));
  return [
    { field: 'ts', label: 'When', render: ({ ts }) => <Moment at={ts} /> },
    {
      field: 'marketId',
      label: 'Market',
      render: ({ marketId }) =>
        marketId === null ? <Unknown reason="the catalog does not know it yet" /> : <Id value={marketId} />,
    },
    {
      field: 'ownOutcome',
      label: 'Outcome',
      render: ({ provider, ownOutcome }) => <Outcome provider={provider} outcome={ownOutcome} />,
    },
    {
      field: 'ownSide',
      label: 'Side',
      render: ({ ownSide, role }) => (
        <>
          <span class={ownSide === 'buy' ? 'up' : 'down'}>{ownSide}</span> <span data-field="role">{role}</span>
        </>
      ),
    },
    {
      field: 'ownPrice',
      label: 'Price',
      isNumber: true,
      render: ({ ownPrice }) => <Num value={ownPrice} digits={priceDigits} />,
    },
    { field: 'qty', label: 'Quantity', isNumber: true, render: ({ qty }) => <Num value={qty} digits={qtyDigits} /> },
    {
      field: 'fee',
      label: 'Fee',
      isNumber: true,
      render: ({ fee, feeToken }) => (
        <Num
          value={fee}
          digits={feeDigits}
          unit={feeToken === null ? '' : ` ${feeToken}`}
          reason="the venue does not state it"
        />
      ),
    },
    {
      field: 'txHash',
      label: 'Transaction',
      render: ({ txHash }) =>
        txHash === null || NO_HASH.test(txHash) ? (
          <Unknown reason="the venue names no transaction" />
        ) : (
          <Id value={txHash} />
        ),
    },
    {
      field: 'status',
      label: 'Status',
      render: ({ status }) => <span class={TONES[status] ?? 'tag'}>{status}</span>,
    },
  ];
}

export function Fills({ wallet }: { readonly wallet: Wallet }) {
  const parameters = new URLSearchParams({ walletId: wallet.id, limit: String(PAGE) });
  const fills = usePaged<FillList>(`/v1/me/fills?${parameters}`, REFRESH_MS);
  return (
    <Panel
      title="Fills"
      resource={fills.first}
      isEmpty={(data) => data.fills.length === 0}
      empty={noFillText(wallet.provider)}
    >
      {() => {
        const rows = fills.pages.flatMap((page) => page.fills);
        return (
          <>
            <Table label="Fills" rows={rows} idOf={({ id, role }) => `${id} ${role}`} columns={columnsOf(rows)} />
            <More paged={fills} />
          </>
        );
      }}
    </Panel>
  );
}
