import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { measureProcess } from './process-metrics.ts';

it('adds the metrics of Node and the label of the process, and measures a blocked event loop', async () => {
  const metrics = createMetrics();
  measureProcess(metrics, 'node-1');
  metrics.framesDropped.inc({ reason: 'slow' });
  await sleep(30);
  const until = performance.now() + 200;
  while (performance.now() < until);
  await sleep(30);
  const text = await metrics.registry.metrics();
  expect(text).toContain('parallax_frames_dropped_total{reason="slow",node="node-1"} 1');
  expect(text).toMatch(/^process_resident_memory_bytes\{node="node-1"\} \d/m);
  expect(text).toMatch(/^nodejs_heap_size_used_bytes\{node="node-1"\} \d/m);
  if (process.platform === 'linux') {
    const [resident, anonymous] = ['process_resident', 'parallax_anonymous'].map((name) =>
      Number(text.match(new RegExp(`^${name}_memory_bytes\\{node="node-1"\\} (\\S+)$`, 'm'))?.[1]),
    );
    expect(anonymous).toBeGreaterThan(1024 * 1024);
    expect(anonymous).toBeLessThan(resident!);
  }
  const [, delay] = text.match(/^parallax_event_loop_delay_seconds\{node="node-1"\} (\S+)$/m)!;
  expect(Number(delay)).toBeGreaterThan(0.1);
});
