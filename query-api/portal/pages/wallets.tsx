import { useSignal } from '@preact/signals';
import { request } from '../live/api.ts';
import { useResource } from '../live/resource.ts';
import { AdminsOnly, isAdmin } from '../parts/admins-only.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import type { Wallet } from './pnl/shapes.ts';
import { BindForm } from './wallet/bind-form.tsx';
import { WalletLink } from './wallet/wallet-link.tsx';

const REFRESH_MS = 30_000;

/** @param onRemove null for keys that may not remove a wallet. */
function columns(onRemove: ((wallet: Wallet) => void) | null): Column<Wallet>[] {
  const columns: Column<Wallet>[] = [
    {
      field: 'label',
      label: 'Wallet',
      isWide: true,
      render: ({ id, label, address }) => <WalletLink id={id} label={label} address={address} />,
    },
    { field: 'provider', label: 'Venue', render: ({ provider }) => <code>{provider}</code> },
    { field: 'address', label: 'Address', render: ({ address }) => <Id value={address} /> },
    { field: 'id', label: 'Id', render: ({ id }) => <Id value={id} /> },
    { field: 'createdAt', label: 'Bound', render: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
  if (onRemove !== null)
    columns.push({
      field: 'actions',
      label: 'Actions',
      render: (wallet) => (
        <button
          type="button"
          data-action="remove"
          aria-haspopup="dialog"
          aria-label={`Remove ${wallet.label || wallet.address}`}
          onClick={() => onRemove(wallet)}
        >
          Remove
        </button>
      ),
    });
  return columns;
}

export default function WalletsPage() {
  const wallets = useResource<{ readonly wallets: readonly Wallet[] }>('/v1/me/wallets', REFRESH_MS);
  const removing = useSignal<Wallet | null>(null);
  const isBinding = useSignal(false);
  const remove = (wallet: Wallet) => {
    removing.value = wallet;
  };
  const bind = (
    <AdminsOnly>
      <button
        type="button"
        class="primary"
        data-action="create"
        aria-haspopup="dialog"
        onClick={() => {
          isBinding.value = true;
        }}
      >
        Bind a wallet
      </button>
      {isBinding.value && (
        <BindForm
          onClose={() => {
            isBinding.value = false;
          }}
          onBound={wallets.refresh}
        />
      )}
    </AdminsOnly>
  );
  return (
    <Page
      name="wallets"
      title="Wallets"
      {...framed(wallets, (data) => data.wallets.length === 0)}
      actions={bind}
      empty={
        <p>
          Wallets that your organization follows are listed here. Bind one by its public address to see its fills and
          what it earns.
        </p>
      }
    >
      <Table
        label="Wallets"
        rows={wallets.data.value?.wallets ?? []}
        idOf={({ id }) => id}
        columns={columns(isAdmin() ? remove : null)}
      />
      {removing.value && (
        <Confirm
          name="remove"
          title="Remove this wallet?"
          verb="Remove"
          onClose={() => {
            removing.value = null;
          }}
          onConfirm={async () => {
            await request(`/v1/me/wallets/${encodeURIComponent(removing.value!.id)}`, { method: 'DELETE' });
            wallets.refresh();
          }}
        >
          <p class="wrap">
            <strong>{removing.value.label || removing.value.address}</strong> is followed no longer. Unless another
            binding names its account, its ledger ends; after a new binding it starts empty.
          </p>
        </Confirm>
      )}
    </Page>
  );
}
