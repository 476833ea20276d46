/** A modal dialog: the browser holds the focus in it, and gives it back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly name: string;
  readonly title: string;
  /** Left out if the dialog cannot be dismissed. */
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ name, title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    // The first field, rather than the button that closes.
    dialog.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      data-dialog={name}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={() => {
        const dialog = element.current;
        // Null once it was removed. Browsers close a dialog themselves at the second Esc.
        if (dialog === null || dialog.open) return;
        if (onClose === undefined) dialog.showModal();
        else onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {onClose && (
          <button type="button" data-action="close" onClick={onClose}>
            Close
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}
