import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { wordsOf } from '../../format/names.ts';
import { useResource } from '../../live/resource.ts';
import { useAction } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultText } from '../../parts/fault.tsx';
import { Skeleton } from '../../parts/page.tsx';
import type { Subscription, Webhook } from './shapes.tsx';
import {
  type CatalogType,
  candidatesOf,
  filterFields,
  filterText,
  subscriptionsOf,
  valuesIn,
} from './subscriptions.ts';

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

/** The name of the input of a filter. */
const fieldName = (type: string, candidate: number, filter: string) => `${type} ${candidate} ${filter}`;

/** URL, event types, and the filters of each that is selected. */
export function WebhookForm({ webhook, onClose, onSubmit }: WebhookFormProps) {
  const catalog = useResource<{ readonly eventTypes: readonly EventType[] }>('/v1/webhooks/event-catalog');
  const { run, fault, isRunning } = useAction();
  const stored = webhook?.subscriptions ?? [];
  const checked = useSignal<ReadonlySet<string>>(new Set(stored.map(({ eventType }) => eventType)));
  const check = (type: string, isChecked: boolean) => {
    const next = new Set(checked.value);
    if (isChecked) next.add(type);
    else next.delete(type);
    checked.value = next;
  };
  const submit = (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const chosen = new Set(fields.getAll('eventType').map(String));
    const types = catalog.data.value?.eventTypes ?? [];
    const subscriptions = subscriptionsOf(types, chosen, stored, (type, candidate, { name, values }) => {
      const filled = fields.getAll(fieldName(type, candidate, name)).map(String);
      return values === null ? filled.flatMap(valuesIn) : filled;
    });
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
            {catalog.data.value.eventTypes.map((entry) => (
              <Fragment key={entry.type}>
                <label class="check">
                  <input
                    type="checkbox"
                    name="eventType"
                    value={entry.type}
                    checked={checked.value.has(entry.type)}
                    onChange={({ currentTarget }) => check(entry.type, currentTarget.checked)}
                  />
                  <span>
                    <code>{entry.type}</code>
                    <br />
                    <span class="muted">
                      {entry.description}
                      {!entry.delivering && ' Not delivered yet.'}
                    </span>
                  </span>
                </label>
                {checked.value.has(entry.type) &&
                  candidatesOf(entry, stored).map((subscription, index, all) => (
                    <Filters
                      key={index}
                      entry={entry}
                      subscription={subscription}
                      index={index}
                      label={all.length > 1 ? `Filter ${index + 1} of ${entry.type}` : `Filter of ${entry.type}`}
                    />
                  ))}
              </Fragment>
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

interface FiltersProps {
  readonly entry: CatalogType;
  readonly subscription: Subscription;
  readonly index: number;
  readonly label: string;
}

/** The fields of the filters of one subscription. What is left empty means all. */
function Filters({ entry, subscription, index, label }: FiltersProps) {
  return (
    <fieldset class="stack" data-filter={entry.type}>
      <legend class="muted">{label}</legend>
      {filterFields(entry.filters).map(({ name, values }) => {
        const input = fieldName(entry.type, index, name);
        if (values === null)
          return (
            <label key={name}>
              {wordsOf(name)}, separated by commas; empty for all
              <input
                name={input}
                type="text"
                autocomplete="off"
                spellcheck={false}
                defaultValue={filterText(subscription, name)}
              />
            </label>
          );
        const current = valuesIn(filterText(subscription, name));
        return (
          <fieldset key={name}>
            <legend>{wordsOf(name)}; none for all</legend>
            {values.map((value) => (
              <label key={value} class="check">
                <input type="checkbox" name={input} value={value} defaultChecked={current.includes(value)} />
                <code>{value}</code>
              </label>
            ))}
          </fieldset>
        );
      })}
    </fieldset>
  );
}
