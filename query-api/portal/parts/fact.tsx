/** A figure with its name, in a list of facts (`<dl class="facts">`). */
import type { ComponentChildren } from 'preact';

interface FactProps {
  readonly label: string;
  /** The field of the REST response. */
  readonly field: string;
  readonly isOld?: boolean;
  readonly children: ComponentChildren;
}

export function Fact({ label, field, isOld = false, children }: FactProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd data-field={field} data-stale={isOld ? '' : undefined}>
        {children}
      </dd>
    </div>
  );
}
