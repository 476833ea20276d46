import { useSignal } from '@preact/signals';
import { decimalText } from '../../format/number.ts';
import { momentText } from '../../format/time.ts';
import { request } from '../../live/api.ts';
import { useAction } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultText } from '../../parts/fault.tsx';
import { isUtc } from '../../shell/theme.ts';
import { webhookRoute } from './shapes.tsx';

const DAY_MS = 86_400_000;

interface RecoverProps {
  readonly webhookId: string;
  readonly url: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface Counted {
  readonly range: { readonly since: string; readonly until?: string };
  readonly deliveries: number;
}

/** The value of a field for date and time, to the minute, in the zone in which the portal shows times. */
const fieldValue = (ms: number) => momentText(ms, isUtc.value).slice(0, 16).replace(' ', 'T');
/** The time of such a field in ISO-8601. */
const timeOf = (value: string) => new Date(isUtc.value ? `${value}Z` : value).toISOString();

/** Asks for a time, counts the failed deliveries in it, and sends them again once that number is confirmed. */
export function Recover({ webhookId, url, onClose, onDone }: RecoverProps) {
  const route = webhookRoute(webhookId, '/recover');
  const counted = useSignal<Counted | null>(null);
  const { run, fault, isRunning } = useAction();
  const count = (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const until = String(fields.get('until'));
    const range = { since: timeOf(String(fields.get('since'))), ...(until === '' ? {} : { until: timeOf(until) }) };
    run(async () => {
      const body = { ...range, dryRun: true };
      const { deliveries } = await request<{ readonly deliveries: number }>(route, { method: 'POST', body });
      counted.value = { range, deliveries };
    });
  };
  const recover = (body: object) =>
    run(async () => {
      await request(route, { method: 'POST', body });
      onDone();
      onClose();
    });
  const found = counted.value;
  const words = found && (found.deliveries === 1 ? '1 delivery' : `${decimalText(found.deliveries, 0)} deliveries`);
  return (
    <Dialog name="recover" title="Send failed deliveries again" onClose={onClose}>
      <form
        class="stack"
        data-form="recover"
        onSubmit={(event) => {
          event.preventDefault();
          count(event.currentTarget);
        }}
        onInput={() => {
          counted.value = null;
        }}
      >
        <label>
          Created since ({isUtc.value ? 'UTC' : 'local time'})
          <input name="since" type="datetime-local" required defaultValue={fieldValue(Date.now() - DAY_MS)} />
        </label>
        <label>
          Created before (empty: until now)
          <input name="until" type="datetime-local" />
        </label>
        {found && (
          <p role="status" class="wrap" data-field="deliveries" data-value={found.deliveries}>
            {found.deliveries === 0
              ? 'No delivery of this time has failed.'
              : `${words} of this time failed. Each is sent to ${url} again, oldest first, under its event id.`}
          </p>
        )}
        {fault && <FaultText fault={fault} />}
        <div class="actions">
          <button type="button" data-action="cancel" onClick={onClose}>
            Cancel
          </button>
          {found && found.deliveries > 0 ? (
            <button
              type="button"
              class="primary"
              data-action="confirm-recover"
              disabled={isRunning}
              onClick={() => recover(found.range)}
            >
              Send {words} again
            </button>
          ) : (
            <button type="submit" class="primary" data-action="count" disabled={isRunning}>
              Count them
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
