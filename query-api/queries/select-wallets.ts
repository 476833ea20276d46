/** Selects wallets of the caller, and the ledgers of their accounts. */
import type { Owner } from '#schemas/domain/control/owner';
import { ownerName } from '#schemas/domain/control/owner';
import type { ControlState, Wallet } from '#schemas/domain/control/state';
import { ApiError } from '#schemas/errors';
import type { FollowedLedger } from '#schemas/topics/ledgers';
import {
  type AccountProvider,
  accountName,
  covers,
  PROVIDER_FAMILIES,
  providerFamily,
  providersOf,
  type WalletProvider,
} from '#schemas/venues/accounts';
import type { LedgersView } from '../views/ledgers.ts';
import type { LedgerPart } from './ledger-rows.ts';

interface WalletSelection {
  readonly walletId?: readonly string[] | undefined;
  /** In lower case. */
  readonly walletAddress?: readonly string[] | undefined;
}

/**
 * Returns the caller's wallets with one of the ids or addresses, all of them without either, in a stable order. Throws
 * 404 for an id or an address that is no wallet of the caller.
 */
function selectWallets(control: ControlState, caller: Owner, selection: WalletSelection): readonly Wallet[] {
  const own = ownWallets(control, caller);
  const { walletId, walletAddress } = selection;
  if (!walletId && !walletAddress) return own;
  const ids = new Set(walletId);
  const addresses = new Set(walletAddress);
  const selected = own.filter(({ id, address }) => ids.has(id) || addresses.has(address));
  const isSelected = (matches: (wallet: Wallet) => boolean) => selected.some(matches);
  const isKnown =
    [...ids].every((wanted) => isSelected(({ id }) => id === wanted)) &&
    [...addresses].every((wanted) => isSelected(({ address }) => address === wanted));
  if (!isKnown) throw new ApiError('not_found', 'no such wallet');
  return selected;
}

function ownWallets(control: ControlState, caller: Owner): Wallet[] {
  const own = [...(control.walletsByOwner.get(ownerName(caller))?.values() ?? [])];
  return own.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Returns every wallet of the caller with one of the addresses (lower case), all of them without addresses, and the
 * addresses that are no wallet of the caller.
 */
export function walletsByAddress(control: ControlState, caller: Owner, addresses: readonly string[] | undefined) {
  const own = ownWallets(control, caller);
  if (!addresses) return { wallets: own, unknown: [] };
  const wanted = new Set(addresses);
  const wallets = own.filter(({ address }) => wanted.has(address));
  const found = new Set(wallets.map(({ address }) => address));
  return { wallets, unknown: [...wanted].filter((address) => !found.has(address)) };
}

/** Like `selectWallets`, without wallets that have no fills of the provider; a venue stands for all of its providers. */
export function selectWalletsOf(
  control: ControlState,
  caller: Owner,
  selection: WalletSelection & { readonly provider?: AccountProvider | undefined },
): readonly Wallet[] {
  const wallets = selectWallets(control, caller, selection);
  const { provider } = selection;
  return provider === undefined ? wallets : wallets.filter((wallet) => hasFillsOf(wallet, provider));
}

function hasFillsOf(wallet: Wallet, provider: AccountProvider): boolean {
  const isFamily = (PROVIDER_FAMILIES as readonly string[]).includes(provider);
  return isFamily ? providerFamily(wallet.provider) === provider : covers(wallet.provider, provider);
}

/** The ledger of an account with the selected wallets that name it. */
export interface SelectedLedger extends LedgerPart {
  readonly wallets: readonly Wallet[];
}

/** Returns the ledger of the account of a wallet; undefined while it has none. */
export function ledgerOf({ followed }: LedgersView, wallet: Wallet): FollowedLedger | undefined {
  return followed.get(accountOf(wallet));
}

/**
 * Returns the ledgers of the accounts of wallets, each once: two bindings can name one account. Each is read as far as
 * the wallets cover its providers, and the requested one is.
 */
export function ledgersOf(
  ledgers: LedgersView,
  wallets: readonly Wallet[],
  requested?: AccountProvider | undefined,
): SelectedLedger[] {
  const byAccount = new Map<string, Wallet[]>();
  for (const wallet of wallets) {
    const own = byAccount.get(accountOf(wallet));
    if (own) own.push(wallet);
    else byAccount.set(accountOf(wallet), [wallet]);
  }
  return [...byAccount].flatMap(([account, own]) => {
    const ledger = ledgers.followed.get(account);
    if (!ledger) return [];
    const providers = providersOf(providerFamily(own[0]!.provider)).filter(
      (provider) => isRequested(provider, requested) && own.some((wallet) => covers(wallet.provider, provider)),
    );
    return [{ ...ledger, providers, wallets: own }];
  });
}

/** Returns the wallet under which what happened with a provider is listed. */
export function walletFor({ wallets }: SelectedLedger, provider: string): Wallet {
  return wallets.find((wallet) => covers(wallet.provider, provider)) ?? wallets[0]!;
}

/** A venue stands for all of its providers. */
function isRequested(provider: WalletProvider, requested: AccountProvider | undefined): boolean {
  if (requested === undefined) return true;
  return (PROVIDER_FAMILIES as readonly string[]).includes(requested)
    ? providerFamily(provider) === requested
    : provider === requested;
}

function accountOf({ provider, address }: Wallet): string {
  return accountName(providerFamily(provider), address);
}
