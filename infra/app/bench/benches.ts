/** Every benchmark, in the order of the report. */
import type { Bench } from './bench.ts';
import { accountValue } from './benches/account-value.ts';
import { candles } from './benches/candles.ts';
import { controlReduce } from './benches/control-reduce.ts';
import { eventCandles } from './benches/event-candles.ts';
import { fanout } from './benches/fanout.ts';
import { footprintCpu } from './benches/footprint-cpu.ts';
import { footprintDisk } from './benches/footprint-disk.ts';
import { footprintMemory } from './benches/footprint-memory.ts';
import { keyCheck } from './benches/key-check.ts';
import { klines } from './benches/klines.ts';
import { latency } from './benches/latency.ts';
import { leaderboard } from './benches/leaderboard.ts';
import { ledgers } from './benches/ledgers.ts';
import { logAppend } from './benches/log-append.ts';
import { normalise } from './benches/normalise.ts';
import { pnl } from './benches/pnl.ts';
import { portal } from './benches/portal.ts';
import { processors } from './benches/processors.ts';
import { reconcile } from './benches/reconcile.ts';
import { restCached } from './benches/rest-cached.ts';
import { restart } from './benches/restart.ts';
import { spreads } from './benches/spreads.ts';
import { stats } from './benches/stats.ts';
import { storeInsert } from './benches/store-insert.ts';
import { sustained } from './benches/sustained.ts';
import { upstreamRead } from './benches/upstream-read.ts';
import { webhookDeliveries } from './benches/webhook-deliveries.ts';

export const BENCHES: readonly Bench[] = [
  normalise,
  logAppend,
  processors,
  storeInsert,
  klines,
  restCached,
  leaderboard,
  candles,
  eventCandles,
  fanout,
  latency,
  upstreamRead,
  accountValue,
  ledgers,
  pnl,
  stats,
  controlReduce,
  keyCheck,
  webhookDeliveries,
  spreads,
  reconcile,
  footprintDisk,
  footprintCpu,
  footprintMemory,
  sustained,
  restart,
  portal,
];

/** Names that `--only` accepts. */
export const BENCH_NAMES: readonly string[] = BENCHES.flatMap(({ aims }) => Object.keys(aims));
