import { useSignal } from '@preact/signals';
import { Code } from '../../parts/code.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { VERIFY_SNIPPETS } from './verify-snippets.ts';

/** The button that opens code which verifies signatures, to copy. */
export function VerifyCode() {
  const isOpen = useSignal(false);
  const chosen = useSignal(0);
  const { code } = VERIFY_SNIPPETS[chosen.value]!;
  return (
    <>
      <button
        type="button"
        data-action="verify"
        aria-haspopup="dialog"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Verify signatures
      </button>
      {isOpen.value && (
        <Dialog
          name="verify"
          title="Verify the signature of a delivery"
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <p>
            Verify each request with the secret of the webhook before you parse it. Repeats have the same{' '}
            <code>webhook-id</code>.
          </p>
          <div class="filters">
            <label>
              Language
              <select
                name="language"
                value={chosen.value}
                onChange={(event) => {
                  chosen.value = Number(event.currentTarget.value);
                }}
              >
                {VERIFY_SNIPPETS.map(({ language, label }, index) => (
                  <option key={language} value={index}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            <Copy text={code} label="Copy code" />
          </div>
          <Code label="Code" field="code" text={code} />
        </Dialog>
      )}
    </>
  );
}
