import { useSignal } from '@preact/signals';
import { request } from '../live/api.ts';
import { useResource } from '../live/resource.ts';
import { Confirm, useAction } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { Create, type CreateFormProps } from '../parts/create.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FaultText } from '../parts/fault.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { session } from '../shell/session.ts';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly sandbox: boolean;
  readonly lastUsedAt?: string | null;
}

const REFRESH_MS = 30_000;
const SCOPES = [
  ['read', 'read markets, events and figures'],
  ['stream', 'subscribe to channels'],
  ['trade', 'reserved for trading'],
  ['admin', 'change keys, webhooks, wallets'],
] as const;

function columns(onRevoke: (key: Key) => void): Column<Key>[] {
  return [
    { field: 'name', label: 'Name', isWide: true, render: (key) => <strong>{key.name}</strong> },
    { field: 'id', label: 'Id', render: (key) => <Id value={key.id} /> },
    { field: 'userId', label: 'User', isWide: true, render: (key) => key.userId },
    {
      field: 'scopes',
      label: 'Scopes',
      render: (key) => (
        <span class="tags">
          {key.scopes.map((scope) => (
            <span key={scope} class="tag">
              {scope}
            </span>
          ))}
        </span>
      ),
    },
    { field: 'sandbox', label: 'Kind', render: (key) => (key.sandbox ? 'sandbox' : 'live') },
    { field: 'createdAt', label: 'Created', render: (key) => <Moment at={key.createdAt} /> },
    {
      field: 'lastUsedAt',
      label: 'Last use',
      render: (key) => <Ago at={key.lastUsedAt ?? null} reason="no use of this key is known" />,
    },
    {
      field: 'actions',
      label: 'Actions',
      render: (key) => (
        <button
          type="button"
          data-action="revoke"
          aria-haspopup="dialog"
          aria-label={`Revoke ${key.name}`}
          onClick={() => onRevoke(key)}
        >
          Revoke
        </button>
      ),
    },
  ];
}

export default function KeysPage() {
  const keys = useResource<{ readonly keys: readonly Key[] }>('/keys', REFRESH_MS);
  const revoking = useSignal<Key | null>(null);
  const list = columns((key) => {
    revoking.value = key;
  });
  const create = (
    <Create
      label="Create key"
      secretName="token"
      secretTitle="The token of the new key"
      form={(props) => <KeyForm {...props} />}
      onCreated={keys.refresh}
    />
  );
  return (
    <Page
      name="keys"
      title="Keys"
      {...framed(keys, (data) => data.keys.length === 0)}
      actions={create}
      empty={<p>Keys of your organization are listed here. Create one for each program that calls the API.</p>}
    >
      <Table label="Keys" rows={keys.data.value?.keys ?? []} idOf={(key) => key.id} columns={list} />
      {revoking.value && (
        <Confirm
          name="revoke"
          title="Revoke this key?"
          verb="Revoke"
          onClose={() => {
            revoking.value = null;
          }}
          onConfirm={async () => {
            await request(`/keys/${encodeURIComponent(revoking.value!.id)}`, { method: 'DELETE' });
            keys.refresh();
          }}
        >
          <p class="wrap">
            <strong>{revoking.value.name}</strong> of {revoking.value.userId} stops working at once, with its sockets
            and sessions. This cannot be undone.
            {revoking.value.id === session.value?.keyId && ' It is the key that you are signed in with.'}
          </p>
        </Confirm>
      )}
    </Page>
  );
}

function KeyForm({ onClose, onCreated }: CreateFormProps) {
  const { run, fault, isRunning } = useAction();
  const submit = (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const body = {
      name: String(fields.get('name')),
      userId: String(fields.get('userId')),
      scopes: fields.getAll('scopes'),
      ...(session.value?.sandbox || fields.has('sandbox') ? { sandbox: true } : {}),
    };
    run(async () => {
      const created = await request<{ readonly token: string | null }>('/keys', { method: 'POST', body });
      onCreated(created.token);
    });
  };
  return (
    <Dialog name="create-key" title="Create a key" onClose={onClose}>
      <form
        class="stack"
        data-form="key"
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget);
        }}
      >
        <label>
          Name
          <input name="name" required maxLength={200} autocomplete="off" />
        </label>
        <label>
          User
          <input name="userId" required maxLength={200} autocomplete="off" defaultValue={session.value?.userId ?? ''} />
        </label>
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map(([scope, meaning]) => (
            <label key={scope} class="check">
              <input type="checkbox" name="scopes" value={scope} defaultChecked={scope === 'read'} />
              <span>
                <strong>{scope}</strong> <span class="muted">{meaning}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <label class="check">
          <input type="checkbox" name="sandbox" defaultChecked={session.value?.sandbox ?? false} />
          <span>
            <strong>Sandbox</strong> <span class="muted">sees the fixed data set instead of live markets</span>
          </span>
        </label>
        {fault && <FaultText fault={fault} />}
        <div class="actions">
          <button type="button" data-action="cancel" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" data-action="submit" disabled={isRunning}>
            Create key
          </button>
        </div>
      </form>
    </Dialog>
  );
}
