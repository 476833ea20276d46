import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createVenueBStage } from './stage.ts';

export function drive(folder: string, files: string[]) {
  const stage = createVenueBStage({ confirmations: 64 });
  const handlers = new Map(stage.inputs.map((i) => [i.topic.name, i.handle as any]));
  const lines: any[] = [];
  files.forEach((f, fi) => {
    const raw = readFileSync(`${folder}/${f}`);
    const text = (f.endsWith('.gz') ? gunzipSync(raw) : raw).toString();
    for (const l of text.split('\n')) if (l) lines.push({ ...JSON.parse(l), fi });
  });
  lines.sort((a, b) => a.at - b.at || a.fi - b.fi);
  const state = stage.initialState();
  const out: any[] = [];
  const dead: any[] = [];
  let cur: any;
  const emit: any = (topic: any, key: string, value: any) => out.push({ topic: topic.name, key, value, at: cur.receivedAt });
  emit.remove = (topic: any, key: string) => out.push({ topic: topic.name, key, value: null });
  emit.dead = (reason: string, detail: string) => dead.push({ reason, detail, cur });
  for (const l of lines) {
    const value = { provider: 'venue_b', stream: l.source.split('.')[1], key: l.source, receivedAt: l.at, request: l.request ?? null,
      payload: Buffer.from(JSON.stringify(l.block ? { block: l.block } : l.log ? { log: l.log } : l.data)) };
    cur = { topic: `raw.${l.source}`, partition: 0, offset: 0, key: l.source, receivedAt: l.at, value };
    handlers.get(cur.topic)(state, cur, emit);
  }
  return { state, out, dead };
}

it('x', () => {
  const { state, out, dead } = drive('../shared/recordings/venue_b-2026', ['catalog.ndjson', 'chain.ndjson.gz', 'clob_ws.ndjson']);
  const count: any = {};
  for (const o of out) count[o.topic] = (count[o.topic] ?? 0) + 1;
  console.log(count, dead.map((d) => [d.reason, d.detail]));
  const trades = out.filter((o) => o.topic.includes('trades'));
  const st: any = {};
  for (const t of trades) st[t.value.status + (t.value.marketId ? '' : '-null')] = (st[t.value.status + (t.value.marketId ? '' : '-null')] ?? 0) + 1;
  console.log(st, new Set(trades.map((t) => t.value.id)).size);
  console.log(out.filter((o) => o.topic.includes('status')).map((o) => o.value));
  console.log(state.catalog.markets.size, state.catalog.tokens.size);
  console.log(out.filter((o) => o.topic.includes('markets')).slice(0, 2).map((o) => o.value));
  console.log(trades.slice(0,2).map((o) => o.value));
  for (const b of state.books.values()) console.log(b.mismatches, b.whole, b.book.bids.length);
  expect(1).toBe(1);
  const mlb = drive('../shared/recordings/venue_b-mlb-2025-06-19', ['catalog.ndjson', 'clob_ws.ndjson.gz']);
  const c2: any = {};
  for (const o of mlb.out) c2[o.topic] = (c2[o.topic] ?? 0) + 1;
  console.log(c2, mlb.dead.length);
});
