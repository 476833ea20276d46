/** The button that creates something: it opens a form, and then shows the secret of what was created, once. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Secret } from './secret.tsx';

/** What the form of a new thing gets. */
export interface CreateFormProps {
  readonly onClose: () => void;
  /** Called with the secret of what was created; null if the service did not return it. */
  readonly onCreated: (secret: string | null) => void;
}

interface CreateProps {
  /** The text of the button. */
  readonly label: string;
  /** Name and title of the dialog that shows the secret. */
  readonly secretName: string;
  readonly secretTitle: string;
  readonly form: (props: CreateFormProps) => ComponentChildren;
  /** Called after something was created. */
  readonly onCreated: () => void;
}

export function Create({ label, secretName, secretTitle, form, onCreated }: CreateProps) {
  const isOpen = useSignal(false);
  const created = useSignal<{ readonly secret: string | null } | null>(null);
  const close = () => {
    isOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        class="primary"
        data-action="create"
        aria-haspopup="dialog"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {label}
      </button>
      {isOpen.value &&
        form({
          onClose: close,
          onCreated: (secret) => {
            close();
            created.value = { secret };
            onCreated();
          },
        })}
      {created.value && (
        <Secret
          name={secretName}
          title={secretTitle}
          secret={created.value.secret}
          onClose={() => {
            created.value = null;
          }}
        />
      )}
    </>
  );
}
