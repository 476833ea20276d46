/**
 * In which blocks an account may trade: who may have an order in a match is a hash for each match, so it is calculated once
 * for all accounts, for some blocks at a time. Searches of the logs of an account read only these blocks.
 */
import { LRUCache } from 'lru-cache';
import type { World } from '../../world/world.ts';
import { BLOCK_MS, blockTime } from './blocks.ts';
import { possibleAccounts } from './match-orders.ts';

/** Blocks that are calculated together: as many as four words have bits. */
const BLOCKS = 128;
const WORD_BITS = 32;
const WORDS = BLOCKS / WORD_BITS;
/** Enough for the chunks that several backfills read at once. A group has 16 bytes for each account. */
const GROUPS_RETAINED = 256;

export interface BlocksOfAccounts {
  /** True if one of the accounts may have an order in a match of the original block. */
  mayTradeIn(number: number, accounts: ReadonlySet<string>): boolean;
}

export function createBlocksOfAccounts(world: World): BlocksOfAccounts {
  const { population } = world;
  /** Stands for every account, in an injected match. */
  const any = population.accounts.length;
  const groups = new LRUCache<number, Uint32Array>({ max: GROUPS_RETAINED });

  /** A bit for each account and block. */
  const groupOf = (start: number): Uint32Array => {
    const known = groups.get(start);
    if (known) return known;
    const bits = new Uint32Array((any + 1) * WORDS);
    for (let place = 0; place < BLOCKS; place += 1) {
      const endMs = blockTime(start + place);
      for (const { event } of world.matchEventsBetween(endMs - BLOCK_MS, endMs)) {
        const numbers = possibleAccounts(world, event)?.map((account) => population.indexOf(account)!) ?? [any];
        for (const number of numbers) bits[wordOf(number, place)]! |= bitOf(place);
      }
    }
    groups.set(start, bits);
    return bits;
  };

  return {
    mayTradeIn(number, accounts) {
      const start = Math.floor(number / BLOCKS) * BLOCKS;
      const bits = groupOf(start);
      const place = number - start;
      const has = (account: number) => (bits[wordOf(account, place)]! & bitOf(place)) !== 0;
      if (has(any)) return true;
      for (const account of accounts) {
        const index = population.indexOf(account);
        if (index !== null && has(index)) return true;
      }
      return false;
    },
  };
}

const wordOf = (account: number, place: number) => account * WORDS + Math.floor(place / WORD_BITS);
const bitOf = (place: number) => 1 << (place % WORD_BITS);
