import { shortened } from '../../format/names.ts';
import { hrefTo } from '../../shell/router.ts';

interface WalletLinkProps {
  readonly id: string;
  readonly label: string;
  readonly address: string;
}

/** The name of a bound wallet, which leads to its page: its label, or its address if it has none. */
export function WalletLink({ id, label, address }: WalletLinkProps) {
  return (
    <a href={hrefTo(`/portal/wallets/${encodeURIComponent(id)}`)} title={address}>
      {label || shortened(address)}
    </a>
  );
}
