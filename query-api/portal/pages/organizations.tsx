import { useSignal } from '@preact/signals';
import { request } from '../live/api.ts';
import { useResource } from '../live/resource.ts';
import { Confirm, useAction } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { Create } from '../parts/create.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FaultText } from '../parts/fault.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';

interface Organization {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly suspended: boolean;
  readonly createdAt: string;
}
type Act = 'plan' | 'suspend' | 'delete';
type Doing = { readonly act: Act; readonly on: Organization };

const PATH = '/v1/organizations';
const REFRESH_MS = 30_000;
const PLANS = ['free', 'pro', 'enterprise'];
const pathOf = ({ id }: Organization) => `${PATH}/${encodeURIComponent(id)}`;

function columns(onAct: (act: Act, on: Organization) => void): Column<Organization>[] {
  const button = (act: Act, text: string, on: Organization) => (
    <button
      type="button"
      data-action={act}
      aria-haspopup="dialog"
      aria-label={`${text}: ${on.name}`}
      onClick={() => onAct(act, on)}
    >
      {text}
    </button>
  );
  return [
    { field: 'name', label: 'Name', isWide: true, render: ({ name }) => <strong>{name}</strong> },
    { field: 'id', label: 'Id', render: ({ id }) => <Id value={id} /> },
    { field: 'plan', label: 'Plan', render: ({ plan }) => <span class="tag">{plan}</span> },
    {
      field: 'suspended',
      label: 'State',
      render: ({ suspended }) => (
        <span class={suspended ? 'tag bad' : 'tag good'}>{suspended ? 'suspended' : 'active'}</span>
      ),
    },
    { field: 'createdAt', label: 'Created', render: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      field: 'actions',
      label: 'Actions',
      render: (on) => (
        <span class="tags">
          {button('plan', 'Plan', on)}
          {button('suspend', on.suspended ? 'Resume' : 'Suspend', on)}
          {button('delete', 'Delete', on)}
        </span>
      ),
    },
  ];
}

export default function OrganizationsPage() {
  const list = useResource<{ readonly organizations: readonly Organization[] }>(PATH, REFRESH_MS);
  const doing = useSignal<Doing | null>(null);
  const create = (
    <Create
      label="Create organization"
      secretName="token"
      secretTitle="The admin token of the new organization"
      form={({ onClose, onCreated }) => (
        <OrganizationForm
          onClose={onClose}
          onSubmit={async (body) => {
            const created = await request<{ readonly adminKey: { readonly token: string | null } }>(PATH, {
              method: 'POST',
              body,
            });
            onCreated(created.adminKey.token);
          }}
        />
      )}
      onCreated={list.refresh}
    />
  );
  return (
    <Page
      name="organizations"
      title="Organizations"
      {...framed(list, ({ organizations }) => organizations.length === 0)}
      actions={create}
      empty={<p>Organizations are listed here, each with its plan.</p>}
    >
      <Table
        label="Organizations"
        rows={list.data.value?.organizations ?? []}
        idOf={({ id }) => id}
        columns={columns((act, on) => {
          doing.value = { act, on };
        })}
      />
      {doing.value && (
        <Act
          {...doing.value}
          onClose={() => {
            doing.value = null;
          }}
          onDone={list.refresh}
        />
      )}
    </Page>
  );
}

function Act({ act, on, onClose, onDone }: Doing & { readonly onClose: () => void; readonly onDone: () => void }) {
  const change = async (body: object) => {
    await request(pathOf(on), { method: 'PATCH', body });
    onDone();
  };
  if (act === 'plan')
    return (
      <OrganizationForm
        on={on}
        onClose={onClose}
        onSubmit={async (body) => {
          await change(body);
          onClose();
        }}
      />
    );
  const isResume = act === 'suspend' && on.suspended;
  const verb = act === 'delete' ? 'Delete' : isResume ? 'Resume' : 'Suspend';
  const onConfirm = async () => {
    if (act === 'suspend') return change({ suspended: !on.suspended });
    await request(pathOf(on), { method: 'DELETE' });
    onDone();
  };
  return (
    <Confirm name={act} title={`${verb} this organization?`} verb={verb} onConfirm={onConfirm} onClose={onClose}>
      <p class="wrap">
        <strong>{on.name}</strong>
        {act === 'delete' && ' and its wallets, attributions and webhooks are gone for good; its keys stop working.'}
        {act === 'suspend' && !isResume && ': its keys are refused, its sockets closed and its deliveries stopped.'}
        {isResume && ': its keys work again.'}
      </p>
    </Confirm>
  );
}

interface OrganizationFormProps {
  /** The organization to change; left out to create one. */
  readonly on?: Organization;
  readonly onClose: () => void;
  readonly onSubmit: (body: { readonly name: string; readonly plan: string }) => Promise<void>;
}

function OrganizationForm({ on, onClose, onSubmit }: OrganizationFormProps) {
  const { run, fault, isRunning } = useAction();
  const title = on ? 'Change the organization' : 'Create an organization';
  return (
    <Dialog name={on ? 'plan' : 'create-organization'} title={title} onClose={onClose}>
      <form
        class="stack"
        data-form="organization"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          run(() => onSubmit({ name: String(fields.get('name')), plan: String(fields.get('plan')) }));
        }}
      >
        <label>
          Name
          <input name="name" required autocomplete="off" defaultValue={on?.name ?? ''} />
        </label>
        <label>
          Plan
          <select name="plan" defaultValue={on?.plan ?? 'free'}>
            {PLANS.map((plan) => (
              <option key={plan} value={plan} selected={plan === (on?.plan ?? 'free')}>
                {plan}
              </option>
            ))}
          </select>
        </label>
        {fault && <FaultText fault={fault} />}
        <div class="actions">
          <button type="button" data-action="cancel" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" data-action="submit" disabled={isRunning}>
            {on ? 'Change' : 'Create'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
