/** Shows its children to keys that may change something; other keys see which scope is missing. */
import type { ComponentChildren } from 'preact';
import { session } from '../shell/session.ts';

interface AdminsOnlyProps {
  readonly children: ComponentChildren;
}

/** True if the session may change things of its organization. */
export function isAdmin(): boolean {
  return session.value?.scopes.includes('admin') ?? false;
}

export function AdminsOnly({ children }: AdminsOnlyProps) {
  if (isAdmin()) return <>{children}</>;
  return (
    <p class="muted" data-field="missingScope">
      Changes need a key with the scope <code>admin</code>.
    </p>
  );
}
