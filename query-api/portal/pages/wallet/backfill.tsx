/** The button that looks up past fills on the chain. */
import { useSignal } from '@preact/signals';
import { request } from '../../live/api.ts';
import { useAction } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultText } from '../../parts/fault.tsx';

interface Outcome {
  readonly fills: number;
  readonly scanned: { readonly fromBlock: string; readonly toBlock: string };
}

export function Backfill({ id }: { readonly id: string }) {
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        data-action="backfill"
        aria-haspopup="dialog"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Look up past fills
      </button>
      {isOpen.value && (
        <BackfillForm
          id={id}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
}

function BackfillForm({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { run, fault, isRunning } = useAction();
  const outcome = useSignal<Outcome | null>(null);
  return (
    <Dialog name="backfill" title="Look up past fills" onClose={onClose}>
      <form
        class="stack"
        data-form="backfill"
        onSubmit={(event) => {
          event.preventDefault();
          const days = String(new FormData(event.currentTarget).get('days'));
          outcome.value = null;
          run(async () => {
            const path = `/v1/me/wallets/${encodeURIComponent(id)}/history-backfill?lookback_days=${days}`;
            outcome.value = await request<Outcome>(path, { method: 'POST' });
          });
        }}
      >
        <label>
          Days back
          <input name="days" type="number" min={1} max={30} defaultValue="7" required />
        </label>
        <p class="muted">
          The blocks of these days are searched on the chain. A long time takes more than one request.
        </p>
        {isRunning && <progress aria-label="The blocks are searched" />}
        {fault && <FaultText fault={fault} />}
        {outcome.value && (
          <p role="status">
            Found <strong data-field="fills">{outcome.value.fills}</strong> fills in the blocks{' '}
            {outcome.value.scanned.fromBlock} to {outcome.value.scanned.toBlock}.
          </p>
        )}
        <div class="actions">
          <button type="button" data-action="cancel" onClick={onClose}>
            Close
          </button>
          <button type="submit" class="primary" data-action="submit" disabled={isRunning}>
            Search
          </button>
        </div>
      </form>
    </Dialog>
  );
}
