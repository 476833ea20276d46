import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface SecretProps {
  readonly name: string;
  readonly title: string;
  /** Null if the same request was sent twice: only the first answer holds it. */
  readonly secret: string | null;
  readonly onClose: () => void;
}

/** A secret that the service shows once. */
export function Secret({ name, title, secret, onClose }: SecretProps) {
  return (
    <Dialog name={name} title={title} onClose={onClose}>
      <p>It is shown once and cannot be read again. Store it now.</p>
      {secret === null ? (
        <p>The service did not return it, because it has answered this request before.</p>
      ) : (
        <p class="secret">
          <code data-field="secret">{secret}</code>
          <Copy text={secret} />
        </p>
      )}
    </Dialog>
  );
}
