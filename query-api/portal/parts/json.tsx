/** What REST returned for a part of a page, as it is. */
import { useSignal } from '@preact/signals';
import { createContext } from 'preact';
import { Code } from './code.tsx';
import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';

/** True where panels offer their data as JSON. */
export const WithJson = createContext(false);

interface JsonProps {
  readonly title: string;
  readonly value: unknown;
}

/** A button that shows a value as JSON. */
export function Json({ title, value }: JsonProps) {
  const shown = useSignal<string | null>(null);
  const close = () => {
    shown.value = null;
  };
  return (
    <>
      <button
        type="button"
        data-action="json"
        aria-haspopup="dialog"
        aria-label={`${title} as JSON`}
        onClick={() => {
          // As it was then: a text that changes while it is read is of no use.
          shown.value = JSON.stringify(value, null, 2);
        }}
      >
        JSON
      </button>
      {shown.value !== null && (
        <Dialog name="json" title={title} onClose={close}>
          <Copy text={shown.value} />
          <Code label={`${title} as JSON`} field="json" text={shown.value} />
        </Dialog>
      )}
    </>
  );
}
