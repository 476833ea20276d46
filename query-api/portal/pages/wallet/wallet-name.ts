import { shortened } from '../../format/names.ts';
import type { Wallet } from '../pnl/shapes.ts';

/** A bound wallet in a list of choices. The same address may be bound on several venues under one label. */
export function walletName({ label, address, provider }: Pick<Wallet, 'label' | 'address' | 'provider'>): string {
  return `${label || shortened(address)} · ${provider}`;
}
