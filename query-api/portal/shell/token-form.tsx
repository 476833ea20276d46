/** Sends a token once, in exchange for the session cookie. The field is emptied, whatever the answer is. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ApiFault } from '../live/api-fault.ts';
import { FaultText } from '../parts/fault.tsx';
import { signIn } from './session.ts';

export function TokenForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const fault = useSignal<ApiFault | null>(null);
  const isSending = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const token = field.current!.value.trim();
    field.current!.value = '';
    isSending.value = true;
    fault.value = null;
    try {
      await signIn(token);
      onSignedIn();
    } catch (error) {
      if (!(error instanceof ApiFault)) throw error;
      fault.value = error;
      field.current?.focus();
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form class="stack" data-form="session" onSubmit={(event) => void submit(event)}>
      <label>
        Token
        <input
          ref={field}
          type="password"
          name="token"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="plx_live_…"
        />
      </label>
      {fault.value && <FaultText fault={fault.value} />}
      <button type="submit" class="primary" data-action="sign-in" disabled={isSending.value}>
        {isSending.value ? 'Signing in…' : 'Sign in'}
      </button>
    </form>
  );
}
