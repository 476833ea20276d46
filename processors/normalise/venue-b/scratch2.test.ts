import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { it } from 'vitest';
import { createVenueBStage } from './stage.ts';

function load(path: string) {
  const raw = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(raw) : raw).toString();
  return text.split('\n').filter(Boolean).map((s) => {
    const l = JSON.parse(s);
    const value = { provider: 'venue_b', stream: '', key: l.source, receivedAt: l.at, request: null,
      payload: Buffer.from(JSON.stringify(l.block ? { block: l.block } : l.log ? { log: l.log } : l.data)) };
    return { topic: `raw.${l.source}`, partition: 0, offset: 0, key: l.source, receivedAt: l.at, value };
  });
}
it('bench', () => {
  for (const f of ['../shared/recordings/venue_b-mlb-2025-06-19/clob_ws.ndjson.gz', '../shared/recordings/venue_b-2026/clob_ws.ndjson', '../shared/recordings/venue_b-2026/chain.ndjson.gz']) {
    const evs = load(f);
    const rounds = f.includes('2026/clob') ? 3000 : 30;
    const emit: any = () => {};
    emit.remove = () => {}; emit.dead = (r: string, d: string) => { throw new Error(r + d); };
    const stage = createVenueBStage({ confirmations: 64 });
    const handlers = new Map(stage.inputs.map((i) => [i.topic.name, i.handle as any]));
    const h = handlers.get(evs[0]!.topic);
    for (let pass = 0; pass < 3; pass++) {
      let t = process.hrtime.bigint();
      for (let r = 0; r < rounds; r++) { const state = stage.initialState(); for (const e of evs) h(state, e, emit); }
      const a = Number(process.hrtime.bigint() - t) / 1e9;
      t = process.hrtime.bigint();
      for (let r = 0; r < rounds; r++) for (const e of evs) JSON.parse(e.value.payload.toString());
      const b = Number(process.hrtime.bigint() - t) / 1e9;
      const n = rounds * evs.length;
      console.log(f, 'normalise', Math.round(n / a), '/s parse', Math.round(n / b), '/s ratio', (b / a).toFixed(2));
    }
  }
}, 120000);
