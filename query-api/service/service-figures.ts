/** Figures of the running service: its processes, its log and its store. */
import { resolve } from 'node:path';
import type { EventLog, TopicSize } from '#infra/log/log';
import type { NodeReports } from '#infra/nodes/node-reports';
import { freeBytes } from '#infra/runtime/free-bytes';
import type { Store } from '#infra/store/store';
import type { NodeReport } from '#schemas/topics/node-reports';
import type { Reader } from '../queries/query.ts';
import { readTableSizes, type TableSize } from '../queries/read-table-sizes.ts';

/** Counting what log and store hold reads a part of it, so that its result is used for this long. */
const SIZES_MAX_AGE_MS = 10_000;

export interface Sizes {
  readonly topics: readonly TopicSize[];
  readonly tables: readonly TableSize[];
  /** Bytes that can still be written to the disk of the log; null if the log is on other machines. */
  readonly diskFreeBytes: number | null;
}

export interface ServiceFigures {
  /** What every process reported in the last seconds. */
  nodes(): readonly NodeReport[];
  /** At most 10 s old. */
  sizes(): Promise<Sizes>;
}

interface FiguresOptions {
  readonly nodes: Pick<NodeReports, 'current'>;
  readonly log: Pick<EventLog, 'sizes'>;
  readonly reader: Reader;
  readonly store: Pick<Store, 'cluster' | 'database'>;
  /** The folder of the log; null if it is on other machines. */
  readonly dataDir: string | null;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export function createServiceFigures(options: FiguresOptions): ServiceFigures {
  const { nodes, log, reader, store, dataDir, now = () => performance.now() } = options;
  let newest: { readonly sizes: Promise<Sizes>; readonly readAt: number } | null = null;
  const read = async (): Promise<Sizes> => {
    const [topics, tables] = await Promise.all([log.sizes(), readTableSizes(reader, store)]);
    return { topics, tables, diskFreeBytes: dataDir === null ? null : freeBytes(resolve(dataDir)) };
  };
  return {
    nodes: () => nodes.current(),
    sizes() {
      if (newest && now() - newest.readAt < SIZES_MAX_AGE_MS) return newest.sizes;
      const reading = { sizes: read(), readAt: now() };
      newest = reading;
      reading.sizes.catch(() => {
        if (newest === reading) newest = null;
      });
      return reading.sizes;
    },
  };
}
