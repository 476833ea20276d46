import { it } from 'vitest';
import { startSimulator } from '#infra/simulator/start-simulator';
import { openTestRole, testFolder } from './testing/role-context.fixture.ts';
import { start } from './start.ts';
import { feedTopics } from '#schemas/topics/raw';
it('sim', async () => {
  const sim = await startSimulator({ seed: 1, rate: Number(process.env.RATE ?? 1000), events: 20, coins: 50, faults: (process.env.FAULTS ?? '').split(',').filter(Boolean) as never });
  const env: Record<string,string> = {};
  const names: Record<string,string> = { venueAApiUrl:'PARALLAX_VENUE_A_API_URL', venueAWsUrl:'PARALLAX_VENUE_A_WS_URL', venueBGammaUrl:'PARALLAX_VENUE_B_GAMMA_URL', venueBClobWsUrl:'PARALLAX_VENUE_B_CLOB_WS_URL', venueBRpcUrl:'PARALLAX_VENUE_B_RPC_URL'};
  for (const [k,v] of Object.entries(names)) env[v] = (sim.urls as never as Record<string,string>)[k]!;
  console.log(env);
  const { folder } = await testFolder();
  const role = await openTestRole(folder, env);
  const t0 = Date.now();
  const running = await start(role.context);
  while (role.context.health.report().status !== 'ok' && Date.now()-t0 < 30000) await new Promise(r=>setTimeout(r,20));
  console.log('ready after', Date.now()-t0, JSON.stringify(role.context.health.report()));
  const cpu = process.cpuUsage();
  await new Promise(r=>setTimeout(r, Number(process.env.SECS ?? 15)*1000));
  const used = process.cpuUsage(cpu); console.log('cpu s', (used.user+used.system)/1e6);
  console.log(JSON.stringify(await sim.stats()));
  await running.close();
  for (const [v,s] of [['venue_a','ws'],['venue_a','info'],['venue_b','clob_ws'],['venue_b','gamma'],['venue_b','rpc']] as const) {
    const raw = await role.raw(v, s);
    const kinds: Record<string,number> = {};
    for (const e of raw) { const t=e.payload.toString(); const k = /"channel":"(\w+)"/.exec(t)?.[1] ?? /"event_type":"(\w+)"/.exec(t)?.[1] ?? t.slice(0,9); kinds[k]=(kinds[k]??0)+1; }
    console.log(v, s, raw.length, JSON.stringify(kinds));
    if (s==='ws') for (const e of raw) { const t=e.payload.toString(); if (t.includes('"channel":"error"')) { console.log(t.slice(0,200)); break; } }
    if (s==='rpc') { let last: any=null, gaps=0, reorgs=0; for (const e of raw) { const p = JSON.parse(e.payload.toString()); if (p.block) { const n=Number(p.block.number); if (last && (n!==last.n+1)) { if (n<=last.n) reorgs++; else gaps++; } else if (last && p.block.parentHash!==last.h) console.log('parent mismatch at', n); last={n,h:p.block.hash}; } } console.log('blocks to', last?.n, {gaps,reorgs}); }
  }
  for (const v of ['venue_a','venue_b'] as const) { const topic=feedTopics[v]; const ev=(await role.records(topic as never)).map(r=>role.context.codec.decode(topic, r.value!)); console.log(v, ev.map(e=>`${e.feed} ${e.kind}${e.reason?` (${e.reason})`:''}`).join('\n  ').slice(0,4000)); }
  await role.close(); await sim.close();
}, 120000);
