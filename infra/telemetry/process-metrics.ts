import { readFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { anonymousBytesOf } from './anonymous-memory.ts';
import type { Metrics } from './metrics.ts';

const RESOLUTION_MS = 10;
const NS_PER_SECOND = 1e9;

/** Adds the metrics of this process and of Node, and the label `node` to all metrics. Called once per process. */
export function measureProcess({ registry }: Metrics, node: string): void {
  registry.setDefaultLabels({ node });
  collectDefaultMetrics({ register: registry });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: 'parallax_event_loop_delay_seconds',
    help: 'For how long the event loop was blocked, 99th percentile since the previous collection.',
    registers: [registry],
    collect() {
      // Without blocking, the histogram holds the resolution itself.
      this.set(Math.max(0, delay.percentile(99) / NS_PER_SECOND - RESOLUTION_MS / 1_000));
      delay.reset();
    },
  });
  // Other systems do not separate it from the mapped pages of files.
  if (process.platform !== 'linux') return;
  new Gauge({
    name: 'parallax_anonymous_memory_bytes',
    help: 'Resident memory without the mapped pages of files, which the system can reclaim.',
    registers: [registry],
    async collect() {
      this.set(anonymousBytesOf(await readFile('/proc/self/status', 'utf8')));
    },
  });
}
