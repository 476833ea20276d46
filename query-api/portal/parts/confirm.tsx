/** Asks before something is done that cannot be undone, and names it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ApiFault } from '../live/api-fault.ts';
import { Dialog } from './dialog.tsx';
import { FaultText } from './fault.tsx';

interface ConfirmProps {
  /** Name of the dialog and of its action. */
  readonly name: string;
  readonly title: string;
  /** The words of the button that does it. */
  readonly verb: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Confirm({ name, title, verb, onConfirm, onClose, children }: ConfirmProps) {
  const { run, fault, isRunning } = useAction();
  return (
    <Dialog name={name} title={title} onClose={onClose}>
      {children}
      {fault && <FaultText fault={fault} />}
      <div class="actions">
        <button type="button" data-action="cancel" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          data-action={`confirm-${name}`}
          disabled={isRunning}
          onClick={() =>
            run(async () => {
              await onConfirm();
              onClose();
            })
          }
        >
          {verb}
        </button>
      </div>
    </Dialog>
  );
}

/** Runs one action at a time, and holds the fault of the last one. */
export function useAction(): {
  readonly run: (action: () => Promise<void>) => void;
  readonly fault: ApiFault | null;
  readonly isRunning: boolean;
} {
  const fault = useSignal<ApiFault | null>(null);
  const isRunning = useSignal(false);
  const run = (action: () => Promise<void>) => {
    if (isRunning.value) return;
    isRunning.value = true;
    fault.value = null;
    action()
      .catch((error: unknown) => {
        if (!(error instanceof ApiFault)) throw error;
        fault.value = error;
      })
      .finally(() => {
        isRunning.value = false;
      });
  };
  return { run, fault: fault.value, isRunning: isRunning.value };
}
