/**
 * Finds the matches of a market in which an account may have an order. Who may have one is a hash for each match, so it is
 * calculated once for all accounts, for some versions of the market at a time.
 */
import { LRUCache } from 'lru-cache';
import type { World } from '../../world/world.ts';
import { possibleAccounts } from './match-orders.ts';

/** Versions of a market that are calculated together. Their places fit a byte. */
const VERSIONS = 256;
/** A group has at most 3 KiB. */
const GROUPS_RETAINED = 8_192;
/** Stands for every account, in an injected match. */
const ANY_ACCOUNT = 0xffff;

/** For each account that may have an order in a match of a group, the place of its version and the account's number. */
interface Group {
  readonly places: Uint8Array;
  readonly accounts: Uint16Array;
}

export interface AccountMatches {
  /** The versions of a market in [from, to) that are matches in which an account may have an order, in order. */
  versionsOf(account: string, slot: number, from: number, to: number): number[];
}

export function createAccountMatches(world: World): AccountMatches {
  const { population, schedule } = world;
  const groups = new LRUCache<string, Group>({ max: GROUPS_RETAINED });

  const groupOf = (slot: number, start: number): Group => {
    const key = `${slot} ${start}`;
    const known = groups.get(key);
    if (known) return known;
    const series = world.seriesOf('question', slot);
    const pairs: (readonly [number, number])[] = [];
    for (let place = 0; place < VERSIONS; place += 1) {
      if (!world.isMatch(slot, start + place)) continue;
      const possible = possibleAccounts(world, schedule.eventOf(series, start + place));
      const numbers = possible?.map((account) => population.indexOf(account)!) ?? [ANY_ACCOUNT];
      for (const number of new Set(numbers)) pairs.push([place, number]);
    }
    const group = {
      places: Uint8Array.from(pairs, ([place]) => place),
      accounts: Uint16Array.from(pairs, ([, number]) => number),
    };
    groups.set(key, group);
    return group;
  };

  return {
    versionsOf(account, slot, from, to) {
      const number = population.indexOf(account);
      const versions: number[] = [];
      for (let start = Math.floor(from / VERSIONS) * VERSIONS; start < to; start += VERSIONS) {
        const { places, accounts } = groupOf(slot, start);
        for (let nth = 0; nth < accounts.length; nth += 1) {
          if (accounts[nth] !== number && accounts[nth] !== ANY_ACCOUNT) continue;
          const version = start + places[nth]!;
          if (version >= from && version < to) versions.push(version);
        }
      }
      return versions;
    },
  };
}
