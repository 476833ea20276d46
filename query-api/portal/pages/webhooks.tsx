import { request } from '../live/api.ts';
import { useResource } from '../live/resource.ts';
import { AdminsOnly } from '../parts/admins-only.tsx';
import { Create } from '../parts/create.tsx';
import { framed, Page } from '../parts/page.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { hrefTo } from '../shell/router.ts';
import { State, type Webhook, webhookPath } from './webhook/shapes.tsx';
import { VerifyCode } from './webhook/verify.tsx';
import { WebhookForm } from './webhook/webhook-form.tsx';

const REFRESH_MS = 15_000;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    field: 'url',
    label: 'URL',
    isWide: true,
    render: (webhook) => <a href={hrefTo(webhookPath(webhook.id))}>{webhook.url}</a>,
  },
  { field: 'enabled', label: 'State', render: (webhook) => <State webhook={webhook} /> },
  {
    field: 'subscriptions',
    label: 'Event types',
    isWide: true,
    render: ({ subscriptions }) => (
      <span class="tags">
        {subscriptions.map(({ eventType }) => (
          <span key={eventType} class="tag">
            {eventType}
          </span>
        ))}
      </span>
    ),
  },
  { field: 'createdAt', label: 'Created', render: ({ createdAt }) => <Moment at={createdAt} /> },
  { field: 'updatedAt', label: 'Changed', render: ({ updatedAt }) => <Moment at={updatedAt} /> },
];

export default function WebhooksPage() {
  const list = useResource<{ readonly webhooks: readonly Webhook[] }>('/v1/webhooks', REFRESH_MS);
  const create = (
    <Create
      label="Create webhook"
      secretName="secret"
      secretTitle="The secret that signs its deliveries"
      form={({ onClose, onCreated }) => (
        <WebhookForm
          onClose={onClose}
          onSubmit={async (body) => {
            const created = await request<{ readonly secret: string | null }>('/v1/webhooks', { method: 'POST', body });
            onCreated(created.secret);
          }}
        />
      )}
      onCreated={list.refresh}
    />
  );
  return (
    <Page
      name="webhooks"
      title="Webhooks"
      {...framed(list, ({ webhooks }) => webhooks.length === 0)}
      actions={
        <>
          <VerifyCode />
          <AdminsOnly>{create}</AdminsOnly>
        </>
      }
      empty={<p>A webhook sends events to a URL of yours, signed, as they happen. Create one to receive them.</p>}
    >
      <Table label="Webhooks" rows={list.data.value?.webhooks ?? []} idOf={({ id }) => id} columns={COLUMNS} />
    </Page>
  );
}
