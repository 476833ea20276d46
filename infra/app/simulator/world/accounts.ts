import { hashOf, hexOf, STREAM } from './hash.ts';

const DEFAULT_ACCOUNTS = 400;
const BUILDERS = 3;

/** Chooses accounts (lowercase 20-byte addresses) and builder codes by a hash. */
export interface Population {
  readonly accounts: readonly string[];
  /** Any account. */
  account(chance: number): string;
  /** Two different accounts. */
  couple(chance: number): readonly [string, string];
  /** A builder code (bytes32), or zero in three of four cases. */
  builder(chance: number): string;
  readonly builders: readonly string[];
  /** Number of an account, by its address in any case; null for an address of none. */
  indexOf(address: string): number | null;
}

export const NO_BUILDER = `0x${'0'.repeat(64)}`;

/** @param count number of accounts, at least 2. */
export function createPopulation(seed: number, count = DEFAULT_ACCOUNTS): Population {
  const accounts = Array.from({ length: count }, (_, index) => hexOf(seed, STREAM.account, index, 0, 20));
  const builders = Array.from({ length: BUILDERS }, (_, index) => hexOf(seed, STREAM.builder, index, 0, 32));
  // The product of two uniform values makes the first accounts trade far more often than the last.
  const pick = (chance: number) => {
    const uniform = ((chance & 0xffff) / 65_536) * ((chance >>> 16) / 65_536);
    return Math.floor(Math.sqrt(uniform) * count);
  };
  const indices = new Map(accounts.map((address, index) => [address, index]));
  return {
    accounts,
    builders,
    indexOf: (address) => indices.get(address.toLowerCase()) ?? null,
    account: (chance) => accounts[pick(chance)]!,
    couple(chance) {
      const first = pick(chance);
      const second = (first + 1 + (hashOf(seed, STREAM.account, chance, 1) % (count - 1))) % count;
      return [accounts[first]!, accounts[second]!];
    },
    builder: (chance) => (chance % 4 === 0 ? builders[(chance >>> 2) % BUILDERS]! : NO_BUILDER),
  };
}
