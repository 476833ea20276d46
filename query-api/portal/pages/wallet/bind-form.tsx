/** The form that binds a wallet. */
import { ACCOUNT_PROVIDERS } from '#schemas/venues/accounts';
import { request } from '../../live/api.ts';
import { useAction } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultText } from '../../parts/fault.tsx';

interface BindFormProps {
  readonly onClose: () => void;
  readonly onBound: () => void;
}

export function BindForm({ onClose, onBound }: BindFormProps) {
  const { run, fault, isRunning } = useAction();
  return (
    <Dialog name="bind" title="Bind a wallet" onClose={onClose}>
      <form
        class="stack"
        data-form="wallet"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const body = Object.fromEntries(
            ['provider', 'address', 'label'].map((name) => [name, String(fields.get(name))]),
          );
          run(async () => {
            await request('/v1/me/wallets', { method: 'POST', body });
            onClose();
            onBound();
          });
        }}
      >
        <label>
          Venue
          <select name="provider">
            {ACCOUNT_PROVIDERS.map((provider) => (
              <option key={provider} value={provider}>
                {provider}
              </option>
            ))}
          </select>
        </label>
        <label>
          Address
          <input name="address" required autocomplete="off" placeholder="0x…" pattern="0x[0-9a-fA-F]{40}" />
        </label>
        <label>
          Label
          <input name="label" maxLength={200} autocomplete="off" />
        </label>
        {fault && <FaultText fault={fault} />}
        <div class="actions">
          <button type="button" data-action="cancel" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" data-action="submit" disabled={isRunning}>
            Bind
          </button>
        </div>
      </form>
    </Dialog>
  );
}
