import { useSignal } from '@preact/signals';
import { shortened } from '../format/names.ts';

const SHOWN_MS = 1_500;

interface CopyProps {
  /** A function makes the text when it is copied. */
  readonly text: string | (() => string);
  readonly label?: string;
}

/** Copies a text as a whole. */
export function Copy({ text, label = 'Copy' }: CopyProps) {
  const state = useSignal<'idle' | 'done' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      state.value = 'done';
    } catch {
      // The browser refuses it, as without TLS on another host; the text can still be selected.
      state.value = 'failed';
    }
    setTimeout(() => {
      state.value = 'idle';
    }, SHOWN_MS);
  };
  const words = { idle: label, done: 'Copied', failed: 'Not allowed' };
  return (
    <button type="button" class="copy" data-action="copy" onClick={() => void copy()}>
      {words[state.value]}
    </button>
  );
}

/** An id or an address: shortened, whole on hover, and copied whole. */
export function Id({ value }: { readonly value: string }) {
  return (
    <span class="id">
      <code title={value}>{shortened(value)}</code>
      <Copy text={value} label="Copy" />
    </span>
  );
}
