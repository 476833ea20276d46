/** Every benchmark, in the order of the report. */
import type { Bench } from './bench.ts';
import { fanout } from './benches/fanout.ts';
import { latency } from './benches/latency.ts';
import { logAppend } from './benches/log-append.ts';
import { normalise } from './benches/normalise.ts';
import { processors } from './benches/processors.ts';
import { restCached } from './benches/rest-cached.ts';
import { storeInsert } from './benches/store-insert.ts';

export const BENCHES: readonly Bench[] = [normalise, logAppend, processors, storeInsert, restCached, fanout, latency];

/** Names that `--only` takes. */
export const BENCH_NAMES: readonly string[] = BENCHES.flatMap(({ aims }) => Object.keys(aims));
