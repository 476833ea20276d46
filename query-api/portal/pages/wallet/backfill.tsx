/** The button that looks up past fills on the chain. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request } from '../../live/api.ts';
import { useAction } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultText } from '../../parts/fault.tsx';

interface Outcome {
  readonly requestId: string;
  /** Missing once the search has ended before its request was answered. */
  readonly status?: 'queued' | 'running' | 'done' | 'failed';
  readonly fills: number;
  readonly scanned: { readonly fromBlock: string; readonly toBlock: string } | null;
}

/** How often the state of a search that takes longer is read. */
const STATE_EVERY_MS = 2_000;

const isSearching = ({ status }: Outcome) => status === 'queued' || status === 'running';

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
  const closing = useRef(new AbortController());
  useEffect(() => () => closing.current.abort(), []);
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
            let found = await request<Outcome>(path, { method: 'POST' });
            outcome.value = found;
            while (isSearching(found) && !closing.current.signal.aborted) {
              await new Promise((resolve) => setTimeout(resolve, STATE_EVERY_MS));
              found = await request<Outcome>(`/v1/me/backfills/${found.requestId}`);
              outcome.value = found;
            }
          });
        }}
      >
        <label>
          Days back
          <input name="days" type="number" min={1} max={30} defaultValue="7" required />
        </label>
        <p class="muted">
          The blocks of these days are searched on the chain. The search goes on if this window is closed.
        </p>
        {isRunning && <progress aria-label="The blocks are searched" />}
        {fault && <FaultText fault={fault} />}
        {outcome.value && (
          <p role="status" data-status={outcome.value.status ?? 'done'}>
            <OutcomeText outcome={outcome.value} />
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

/** What the search has found, also while it goes on. */
function OutcomeText({ outcome }: { readonly outcome: Outcome }) {
  const { status, fills, scanned } = outcome;
  if (!scanned) return <>The search waits for others.</>;
  return (
    <>
      {status === 'failed' && 'The node did not respond, and the search ended early. '}
      {isSearching(outcome) ? 'So far ' : ''}
      <strong data-field="fills">{fills}</strong> fills {isSearching(outcome) ? 'were ' : ''}found in the blocks{' '}
      {scanned.fromBlock} to {scanned.toBlock}.
    </>
  );
}
