import { LRUCache } from 'lru-cache';
import { HOURS_TO_SETTLE, type Question } from '../../world/questions.ts';
import { HOUR_MS } from '../../world/time.ts';
import type { World } from '../../world/world.ts';
import { blockHolding, blockTime } from './blocks.ts';
import type { MarketBoard } from './market-board.ts';
import type { LogBody } from './match-logs.ts';
import { LISTED_AFTER_MS, type MarketAct, marketLogs, marketTransactionHash } from './oracle-transactions.ts';

/** A transaction that lists, resolves or redeems a market. */
export interface MarketTransaction {
  /** Unique number, from which its place after a reorganization is derived. */
  readonly key: number;
  readonly hash: string;
  readonly logs: readonly LogBody[];
}

/** Transactions of markets by block, before any reorganization. */
export interface MarketAgenda {
  in(number: number): readonly MarketTransaction[];
}

interface DueTransaction {
  readonly question: Question;
  readonly act: MarketAct;
  /** Index among the market's transactions. */
  readonly nth: number;
}

/** More than the transactions of any market. */
const MAX_ACTS = 16;
/** Searches read some hours at once, next to the newest blocks. */
const CACHED_HOURS = 4 * (HOURS_TO_SETTLE + 1);

/** Creates the agenda. It is calculated hour by hour, since questions start and end on the hour. */
export function createMarketAgenda(world: World, board: MarketBoard): MarketAgenda {
  const { venueB } = world;
  const agendas = new LRUCache<number, ReadonlyMap<number, DueTransaction[]>>({ max: CACHED_HOURS });

  /** Transactions by block of the questions that expired at an hour, and of their successors' listings. */
  const agendaOf = (hourMs: number): ReadonlyMap<number, DueTransaction[]> => {
    let agenda = agendas.get(hourMs);
    if (agenda) return agenda;
    const byBlock = new Map<number, DueTransaction[]>();
    const add = (atMs: number, due: DueTransaction) => {
      const number = blockHolding(atMs);
      byBlock.set(number, [...(byBlock.get(number) ?? []), due]);
    };
    for (const question of venueB.expiringAt(hourMs)) {
      for (const [nth, act] of (question.settlementPlan?.steps ?? []).entries())
        add(act.atMs, { question, act, nth: nth + 1 });
      const next = venueB.byGeneration(question.slot.index, question.generation + 1);
      if (next.settlementPlan?.kind === 'automatic') continue;
      add(next.listedAtMs + LISTED_AFTER_MS, { question: next, act: { kind: 'list' }, nth: 0 });
    }
    agenda = byBlock;
    agendas.set(hourMs, agenda);
    return agenda;
  };
  const transactionOf = ({ question, act, nth }: DueTransaction): MarketTransaction => {
    const market = board.listed(question);
    return {
      key: Number(market.ids.marketId) * MAX_ACTS + nth,
      hash: marketTransactionHash(world, market, nth),
      logs: marketLogs(world, board, market, act),
    };
  };
  return {
    in(number) {
      const hourMs = Math.floor((blockTime(number) - 1) / HOUR_MS) * HOUR_MS;
      const due: DueTransaction[] = [];
      for (let back = 0; back <= HOURS_TO_SETTLE; back += 1) {
        due.push(...(agendaOf(hourMs - back * HOUR_MS).get(number) ?? []));
      }
      return due.map(transactionOf);
    },
  };
}
