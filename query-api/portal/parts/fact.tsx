/** A figure with its name, in a list of facts (`<dl class="facts">`). */
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { IsOld } from './is-old.ts';

interface FactProps {
  readonly label: string;
  /** The field of the REST response. */
  readonly field: string;
  readonly isOld?: boolean;
  readonly children: ComponentChildren;
}

export function Fact({ label, field, isOld = false, children }: FactProps) {
  const isAllOld = useContext(IsOld);
  return (
    <div>
      <dt>{label}</dt>
      <dd data-field={field} data-stale={isOld || isAllOld ? '' : undefined}>
        {children}
      </dd>
    </div>
  );
}
