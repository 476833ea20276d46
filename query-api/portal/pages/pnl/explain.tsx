/** A figure of profit and loss, down to the lots and the events that it follows from. */
import { useSignal } from '@preact/signals';
import { digitsOf, digitsOfComputed } from '../../format/number.ts';
import { usePaged } from '../../live/paged.ts';
import { useResource } from '../../live/resource.ts';
import { Id } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact } from '../../parts/fact.tsx';
import { FaultText } from '../../parts/fault.tsx';
import { More } from '../../parts/more.tsx';
import { Num } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/time.tsx';
import { walletName } from '../wallet/wallet-name.ts';
import { CoverageMark } from './columns.tsx';
import type { BookEvent, Explained, Leg, Pnl, Wallet } from './shapes.ts';

const PRICE_DIGITS = 6;

/** Quantities of a book have as many decimals as any of them needs. */
const qtyDigitsOf = (rows: readonly { readonly qty: number }[]) => digitsOf(rows.map(({ qty }) => qty));
const priceDigitsOf = (rows: readonly { readonly price: number | null }[]) =>
  digitsOfComputed(
    rows.map(({ price }) => price),
    PRICE_DIGITS,
  );

function lotColumns(lots: Explained['lots']): readonly Column<Explained['lots'][number]>[] {
  const [qtyDigits, priceDigits] = [qtyDigitsOf(lots), priceDigitsOf(lots)];
  return [
    { field: 'openedAt', label: 'Opened', render: ({ openedAt }) => <Moment at={openedAt} /> },
    { field: 'openedBy', label: 'By the event', render: ({ openedBy }) => <Id value={openedBy} /> },
    {
      field: 'qty',
      label: 'Quantity',
      isNumber: true,
      render: ({ qty }) => <Num value={qty} digits={qtyDigits} signed />,
    },
    {
      field: 'price',
      label: 'Price',
      isNumber: true,
      render: ({ price }) => <Num value={price} digits={priceDigits} reason="the cost of this lot is unknown" />,
    },
  ];
}

function eventColumns(events: readonly BookEvent[]): readonly Column<BookEvent>[] {
  const [qtyDigits, priceDigits] = [qtyDigitsOf(events), priceDigitsOf(events)];
  return [
    { field: 'ts', label: 'When', render: ({ ts }) => <Moment at={ts} /> },
    { field: 'kind', label: 'What', render: ({ kind }) => <span class="tag">{kind}</span> },
    // The id of an event on chain is that of its log: venue, transaction, index of the log.
    { field: 'id', label: 'Event', render: ({ id }) => <Id value={id} /> },
    {
      field: 'qty',
      label: 'Quantity',
      isNumber: true,
      render: ({ qty }) => <Num value={qty} digits={qtyDigits} signed />,
    },
    {
      field: 'price',
      label: 'Price',
      isNumber: true,
      render: ({ price }) => <Num value={price} digits={priceDigits} reason="unknown, or lots were removed at cost" />,
    },
    {
      field: 'realized',
      label: 'Realized, USD',
      isNumber: true,
      render: ({ realized }) => (
        <Num value={realized} digits={PRICE_DIGITS} signed reason="no closed lot has a known cost" />
      ),
    },
    {
      field: 'fee',
      label: 'Fee, USD',
      isNumber: true,
      render: ({ fee }) => <Num value={fee} digits={PRICE_DIGITS} reason="the venue does not state it" />,
    },
    { field: 'closes', label: 'Lots closed', isNumber: true, render: ({ closes }) => <Num value={closes.length} /> },
  ];
}

interface ExplainProps {
  readonly leg: Leg;
  /** The event or the coin that it is of. */
  readonly name: string;
  /** Wallets that may hold it. */
  readonly wallets: readonly Wallet[];
  readonly onClose: () => void;
}

export function Explain({ leg, name, wallets, onClose }: ExplainProps) {
  const walletId = useSignal(wallets[0]?.id ?? '');
  const builder = useSignal('');
  const builders = useResource<Pnl>('/v1/me/pnl?groupBy=builder&limit=500');
  return (
    <Dialog
      name="explain"
      title={`Lots and events: ${leg.outcome === null ? name : `${leg.outcome} of ${name}`}`}
      onClose={onClose}
    >
      <div class="filters">
        <label>
          Wallet
          <select
            name="walletId"
            value={walletId.value}
            onChange={(event) => {
              walletId.value = event.currentTarget.value;
            }}
          >
            {wallets.map((wallet) => (
              <option key={wallet.id} value={wallet.id}>
                {walletName(wallet)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Builder
          <select
            name="builder"
            value={builder.value}
            onChange={(event) => {
              builder.value = event.currentTarget.value;
            }}
          >
            <option value="">Without builder</option>
            {[...new Set(builders.data.value?.data.map((row) => row.builder!))].map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
      </div>
      {walletId.value === '' ? (
        <p class="muted">No bound wallet covers this market.</p>
      ) : (
        <Book leg={leg} walletId={walletId.value} builder={builder.value} />
      )}
    </Dialog>
  );
}

function Book({ leg, walletId, builder }: { readonly leg: Leg; readonly walletId: string; readonly builder: string }) {
  const parameters = new URLSearchParams({ walletId });
  if (leg.marketId !== null) parameters.set('marketId', leg.marketId);
  if (leg.tokenId !== null) parameters.set('tokenId', leg.tokenId);
  if (builder !== '') parameters.set('builder', builder);
  const paged = usePaged<Explained>(`/v1/me/pnl/explain?${parameters}`, null);
  const fault = paged.first.fault.value;
  const first = paged.first.data.value;
  if (fault?.status === 404) return <p class="muted">This wallet has no such book. Choose another one.</p>;
  if (fault) return <FaultText fault={fault} />;
  if (!first) return <p class="muted">Loading…</p>;
  const { book, lots } = first;
  const events = paged.pages.flatMap((page) => page.events);
  return (
    <div class="stack" data-book={book.tokenId ?? book.marketId}>
      <dl class="facts">
        <Fact label="Position" field="openPosition">
          <Num value={book.openPosition} digits={digitsOf([book.openPosition])} />
        </Fact>
        <Fact label="Average cost" field="avgCost">
          <Num
            value={book.avgCost}
            digits={digitsOfComputed([book.avgCost], PRICE_DIGITS)}
            reason="no open lots, lots of both signs, or unknown cost"
          />
        </Fact>
        <Fact label="Realized, USD" field="realized">
          <Num value={book.realized} digits={PRICE_DIGITS} signed reason="none of it is known" />
        </Fact>
        <Fact label="Coverage" field="coverage">
          <CoverageMark coverage={book.coverage} />
        </Fact>
      </dl>
      <h3>Open lots, oldest first</h3>
      {lots.length === 0 ? (
        <p class="muted">Every lot was closed.</p>
      ) : (
        <Table label="Open lots" rows={lots} idOf={({ openedBy }) => openedBy} columns={lotColumns(lots)} />
      )}
      <h3>Events, oldest first</h3>
      <Table label="Events" rows={events} idOf={({ id }) => id} columns={eventColumns(events)} />
      <More paged={paged} />
    </div>
  );
}
