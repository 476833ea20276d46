import { useSignal } from '@preact/signals';
import { request } from '../live/api.ts';
import { useResource } from '../live/resource.ts';
import type { PageProps } from '../pages.ts';
import { AdminsOnly } from '../parts/admins-only.tsx';
import { Confirm, useAction } from '../parts/confirm.tsx';
import { Id } from '../parts/copy.tsx';
import { FaultText } from '../parts/fault.tsx';
import { framed, Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { navigate } from '../shell/router.ts';
import { Deliveries } from './webhook/deliveries.tsx';
import { Recover } from './webhook/recover.tsx';
import { State, type Webhook, webhookRoute } from './webhook/shapes.tsx';
import { VerifyCode } from './webhook/verify.tsx';
import { WebhookForm } from './webhook/webhook-form.tsx';

const REFRESH_MS = 10_000;

type Opened = 'change' | 'delete' | 'disable' | 'recover' | 'rotate' | null;

export default function WebhookPage({ params }: PageProps) {
  const id = params.id!;
  const resource = useResource<Webhook>(webhookRoute(id), REFRESH_MS);
  const opened = useSignal<Opened>(null);
  const secret = useSignal<{ readonly secret: string | null } | null>(null);
  const { run, fault, isRunning } = useAction();
  const webhook = resource.data.value;
  const open = (dialog: Opened) => {
    opened.value = dialog;
  };
  const change = async (body: object) => {
    await request(webhookRoute(id), { method: 'PATCH', body });
    resource.refresh();
  };
  const sendTest = async () => {
    await request(webhookRoute(id, '/test'), {
      method: 'POST',
      body: { eventType: webhook!.subscriptions[0]!.eventType },
    });
  };
  const actions = webhook && (
    <>
      <VerifyCode />
      <AdminsOnly>
        <button type="button" data-action="test" disabled={isRunning} onClick={() => run(sendTest)}>
          Send a test
        </button>
        {webhook.enabled ? (
          <button type="button" data-action="disable" aria-haspopup="dialog" onClick={() => open('disable')}>
            Disable
          </button>
        ) : (
          <button
            type="button"
            data-action="enable"
            disabled={isRunning}
            onClick={() => run(() => change({ enabled: true }))}
          >
            Enable
          </button>
        )}
        <button type="button" data-action="change" aria-haspopup="dialog" onClick={() => open('change')}>
          Change
        </button>
        <button
          type="button"
          data-action="recover"
          aria-haspopup="dialog"
          disabled={!webhook.enabled}
          onClick={() => open('recover')}
        >
          Recover
        </button>
        <button type="button" data-action="rotate" aria-haspopup="dialog" onClick={() => open('rotate')}>
          Rotate secret
        </button>
        <button type="button" class="danger" data-action="delete" aria-haspopup="dialog" onClick={() => open('delete')}>
          Delete
        </button>
      </AdminsOnly>
    </>
  );
  return (
    <Page name="webhook" title="Webhook" {...framed(resource)} actions={actions}>
      {fault && <FaultText fault={fault} />}
      {webhook && (
        <>
          <section class="panel" aria-label="Endpoint">
            <dl class="facts one">
              <div>
                <dt>URL</dt>
                <dd data-field="url">{webhook.url}</dd>
              </div>
              <div>
                <dt>State</dt>
                <dd data-field="enabled">
                  <State webhook={webhook} />
                </dd>
              </div>
              <div>
                <dt>Id</dt>
                <dd>
                  <Id value={webhook.id} />
                </dd>
              </div>
              {webhook.subscriptions.map(({ eventType, version, filters = {} }) => (
                <div key={`${eventType}.${version}`}>
                  <dt>
                    <code>{eventType}</code>
                  </dt>
                  <dd data-field="filters">
                    {Object.keys(filters).length === 0 ? 'everything' : JSON.stringify(filters)}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
          <Deliveries webhookId={webhook.id} />
        </>
      )}
      {webhook && opened.value === 'change' && (
        <WebhookForm
          webhook={webhook}
          onClose={() => open(null)}
          onSubmit={async (body) => {
            await change(body);
            open(null);
          }}
        />
      )}
      {webhook && opened.value === 'recover' && (
        <Recover webhookId={id} url={webhook.url} onClose={() => open(null)} onDone={resource.refresh} />
      )}
      {webhook && opened.value === 'disable' && (
        <Confirm
          name="disable"
          title="Disable this webhook?"
          verb="Disable"
          onClose={() => open(null)}
          onConfirm={() => change({ enabled: false })}
        >
          <p class="wrap">Nothing is sent to {webhook.url} until it is enabled again.</p>
        </Confirm>
      )}
      {webhook && opened.value === 'rotate' && (
        <Confirm
          name="rotate"
          title="Rotate the secret?"
          verb="Rotate"
          onClose={() => open(null)}
          onConfirm={async () => {
            secret.value = await request(webhookRoute(id, '/secret'), { method: 'POST' });
          }}
        >
          <p class="wrap">
            Deliveries to {webhook.url} get a new secret, which is shown once. The current one also signs for another 24
            hours.
          </p>
        </Confirm>
      )}
      {webhook && opened.value === 'delete' && (
        <Confirm
          name="delete"
          title="Delete this webhook?"
          verb="Delete"
          onClose={() => open(null)}
          onConfirm={async () => {
            await request(webhookRoute(id), { method: 'DELETE' });
            navigate('/portal/webhooks');
          }}
        >
          <p class="wrap">Nothing is sent to {webhook.url} any more. This cannot be undone.</p>
        </Confirm>
      )}
      {secret.value && (
        <Secret
          name="secret"
          title="The new secret"
          secret={secret.value.secret}
          onClose={() => {
            secret.value = null;
          }}
        />
      )}
    </Page>
  );
}
