import { useResource } from '../../live/resource.ts';
import { useAction } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultText } from '../../parts/fault.tsx';
import { Skeleton } from '../../parts/page.tsx';
import type { Webhook } from './shapes.tsx';
import { type CatalogType, subscriptionsOf } from './subscriptions.ts';

interface EventType extends CatalogType {
  readonly description: string;
  readonly delivering: boolean;
}

interface WebhookFormProps {
  /** The webhook to change; left out to create one. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
  readonly onSubmit: (body: object) => Promise<void>;
}

/** URL and event types. Filters of a subscription that stays selected are left as they are. */
export function WebhookForm({ webhook, onClose, onSubmit }: WebhookFormProps) {
  const catalog = useResource<{ readonly eventTypes: readonly EventType[] }>('/v1/webhooks/event-catalog');
  const { run, fault, isRunning } = useAction();
  const submit = (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const chosen = new Set(fields.getAll('eventType').map(String));
    const types = catalog.data.value?.eventTypes ?? [];
    const subscriptions = subscriptionsOf(types, chosen, webhook?.subscriptions ?? []);
    run(() => onSubmit({ url: String(fields.get('url')), subscriptions }));
  };
  const title = webhook ? 'Change the webhook' : 'Create a webhook';
  return (
    <Dialog name={webhook ? 'change-webhook' : 'create-webhook'} title={title} onClose={onClose}>
      <form
        class="stack"
        data-form="webhook"
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget);
        }}
      >
        <label>
          URL
          <input
            name="url"
            type="url"
            required
            autocomplete="off"
            placeholder="https://"
            defaultValue={webhook?.url ?? ''}
          />
        </label>
        {catalog.data.value === null && catalog.fault.value === null && <Skeleton rows={4} />}
        {catalog.fault.value && <FaultText fault={catalog.fault.value} />}
        {catalog.data.value && (
          <fieldset>
            <legend>Event types</legend>
            {catalog.data.value.eventTypes.map(({ type, description, delivering }) => (
              <label key={type} class="check">
                <input
                  type="checkbox"
                  name="eventType"
                  value={type}
                  defaultChecked={webhook?.subscriptions.some(({ eventType }) => eventType === type) ?? false}
                />
                <span>
                  <code>{type}</code>
                  <br />
                  <span class="muted">
                    {description}
                    {!delivering && ' Not delivered yet.'}
                  </span>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {fault && <FaultText fault={fault} />}
        <div class="actions">
          <button type="button" data-action="cancel" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" data-action="submit" disabled={isRunning || !catalog.data.value}>
            {webhook ? 'Change' : 'Create webhook'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
