import { mkdtempSync, rmSync } from 'node:fs';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import { compactRows } from '#infra/store/compact-rows';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { pino } from 'pino';
import { sampleTrade } from '#schemas/tables/sample-records.fixture';
import { tradeTopics } from '#schemas/topics/normalised';
import { partitionOf } from '#schemas/topics/topic';
import { prepareTopics } from './sink-context.ts';
import { runSinkOnce } from './run-sink-once.ts';
import { takeRecords } from './take-records.ts';
import { Batch } from './batch.ts';
const dir = mkdtempSync('/tmp/sinkwork/sb-');
const log = await openEmbeddedLog({ path: dir + '/log' });
const codec = createCodec(await openLogRegistry(log));
let jsonMs = 0;
const store = { database: 'x', insert: async (_t: string, rows: never) => { const t = performance.now(); const { values } = compactRows(rows); let s = ''; for (const v of values) s += JSON.stringify(v) + '\n'; jsonMs += performance.now() - t; if (s.length === 0) throw new Error(); } } as never;
const ctx = { log, codec, store, logger: pino({ level: 'warn' }), metrics: createMetrics(), health: createHealth() };
await prepareTopics(ctx);
const hex = (n: number) => '0x' + n.toString(16).padStart(64, '0');
const topic = tradeTopics.venue_b; const seqs = [0, 0, 0, 0]; let n = 0;
for (let b = 0; b < 100; b++) await log.append(Array.from({ length: 1000 }, () => { n += 1; const instrument = hex(n * 7919 % 500); const partition = partitionOf(instrument, 4); seqs[partition]! += 1; return { topic: topic.name, partition, key: instrument, receivedAt: n, seq: seqs[partition]!, value: codec.encode(topic, { ...sampleTrade, id: `venue_b:${hex(n)}:${n % 100}`, marketId: hex(n * 7919 % 250), instrument, ts: 1760000000000 + n * 37, receivedAt: n, arrival: n, price: `0.${(n % 999) + 1}`, qty: `${n % 1000}.25`, maker: hex(n).slice(0, 42), taker: hex(n * 3).slice(0, 42), txHash: hex(n), tradeId: null, blockNumber: 70000000 + n, blockHash: hex(n * 11) }) }; }));
for (let k = 0; k < 4; k++) { jsonMs = 0; const c = process.cpuUsage();
await runSinkOnce({ ...ctx, batchRows: 2000 }); const cu = process.cpuUsage(c);
console.log('cpu us/row', (cu.user + cu.system) / 1e5, 'of which json ms/100k', jsonMs); }
for (let k = 0; k < 3; k++) {
const reader = await log.reader([0, 1, 2, 3].map((partition) => ({ topic: topic.name, partition, offset: 0 })));
let c = process.cpuUsage(); const all = []; for (;;) { const { records } = await reader.poll(2000, 0); if (!records.length) break; all.push(...records); }
let cu = process.cpuUsage(c); console.log('read', (cu.user + cu.system) / 1e5);
c = process.cpuUsage(); for (const r of all) codec.decode(topic, r.value!); cu = process.cpuUsage(c); console.log('decode', (cu.user + cu.system) / 1e5);
c = process.cpuUsage(); for (let i = 0; i < all.length; i += 2000) await takeRecords(all.slice(i, i + 2000), new Batch(), codec, null as never); cu = process.cpuUsage(c); console.log('take', (cu.user + cu.system) / 1e5);
}
await log.close(); rmSync(dir, { recursive: true });
