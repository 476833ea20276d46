import { startSimulator } from '../infra/app/simulator/start-simulator.ts';
import { startService, temporaryFolder, TEST_TOKEN } from '../infra/app/checks/e2e/service.ts';
import { upstreams } from '../infra/app/checks/e2e/upstreams.ts';
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const simulator = await startSimulator({ seed: 9, rate: 20, events: 12, coins: 5, faults: [] });
const folder = temporaryFolder('faults');
const service = await startService({ dataDir: folder.path, flags: ['--venues', 'live'], env: upstreams(simulator) });
const H = { authorization: `Bearer ${TEST_TOKEN}`, 'content-type': 'application/json' };
const A = process.argv[3] ?? '0x7344010cfd567c8752d7660fcf8601b27e1144cd';
async function call(method: string, path: string, body?: unknown, ms = 40_000) {
  const t = Date.now();
  try {
    const r = await fetch(service.rest + path, { method, headers: H, ...(body ? { body: JSON.stringify(body) } : {}), signal: AbortSignal.timeout(ms) });
    const text = await r.text();
    return { status: r.status, ms: Date.now() - t, body: JSON.parse(text) };
  } catch (e) { return { status: 0, ms: Date.now() - t, body: { error: String(e) } }; }
}
const { world } = { world: null };
const pop = (await import('../infra/app/simulator/world/accounts.ts')).createPopulation(9);
// accounts with venue_b tokens and no unpriced token
const accounts = [pop.accounts[5]!, pop.accounts[3]!];
const wallets: { id: string; provider: string; address: string }[] = [];
for (const address of accounts) for (const provider of ['venue_a', 'venue_b']) wallets.push((await call('POST', '/v1/me/wallets', { provider, address, label: 't' })).body);
await sleep(8000);
const routes: [string, string, unknown?][] = [];
for (const w of wallets) { routes.push(['GET', `/v1/me/wallets/${w.id}/nav`]); routes.push(['GET', `/v1/me/wallets/${w.id}/pnl-curve?window=1D`]); }
routes.push(['GET', `/v1/positions?user=${accounts[0]}`], ['GET', `/v1/positions?user=${accounts[1]}`], ['GET', `/v1/portfolio/performance?user=${accounts[0]}`], ['GET', '/v1/me/pnl?groupBy=wallet'], ['GET', '/v1/me/fills?limit=2'], ['GET', '/v1/me/wallets/nav']);
const brief = (b: unknown) => JSON.stringify(b).slice(0, 220);
const show = async (label: string) => {
  const all = await Promise.all(routes.map(([m, p, b]) => call(m, p, b)));
  console.log(`\n## ${label}`);
  all.forEach((r, i) => console.log(`${r.status} ${String(r.ms).padStart(6)} ${routes[i]![1].replace(/wal_[0-9a-f-]+/, (id) => wallets.find((w) => w.id === id)!.provider)} ${brief(r.body)}`));
};
await show('calm');
const targets = ['venue_a.info', 'venue_b.data', 'venue_b.pnl', 'venue_b.rpc'] as const;
const kinds: Record<string, (t: never) => Promise<void>> = {
  down: (t) => simulator.faults.errors(t, 30), limited: (t) => simulator.faults.rateLimit(t, 30), slow: (t) => simulator.faults.slow(t, 30, 3_000),
  hanging: (t) => simulator.faults.slow(t, 14, 60_000), malformed: (t) => simulator.faults.malformed(t, 30), cut: (t) => simulator.faults.cutOff(t, 30),
};
for (const t of targets) for (const [k, f] of Object.entries(kinds)) {
  await sleep(21_000); // values at most 20 s old are returned again
  await f(t as never);
  await show(`${t} ${k}`);
}
await sleep(21_000);
await show('afterwards');
console.log(JSON.stringify((await simulator.stats()).limitsExceeded));
const m = await (await fetch(service.rest + '/metrics')).text();
console.log(m.split('\n').filter((l) => /dead_letter|acquisitions|parallax_account/.test(l)).join('\n'));
await service.stop(); await simulator.close(); folder.remove();
