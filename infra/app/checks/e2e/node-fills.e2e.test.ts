/** Follows the files of fills of a self-hosted node, whose reader is killed again and again. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from './command.ts';
import { eventually, get, type Service, startService, temporaryFolder } from './service.ts';

const KILLS = 3;
const DAY_MS = 86_400_000;
const USER = `0x${'a'.repeat(40)}`;
const FLAGS = ['--venues', 'sim', '--sim-rate', '5', '--sim-events', '2', '--sim-coins', '3'];

interface UserFills {
  readonly native: readonly { readonly tid: number; readonly liquidation: unknown }[];
  readonly meta: { readonly source: string };
}

/** A node that writes a block with one fill every 20 ms, after a first block of 15 days ago. */
function startNode(folder: string) {
  let number = 0;
  let hasFills = true;
  const tids: number[] = [];
  const write = (time: number) => {
    number += 1;
    const iso = new Date(time).toISOString();
    const fill = { coin: 'SOL', px: '72.1', sz: '1.0', side: 'B', time, tid: number };
    if (hasFills) tids.push(number);
    const block = {
      local_time: iso.slice(0, -1),
      block_time: `${iso.slice(0, -1)}000123`,
      block_number: number,
      events: hasFills ? [[USER, fill]] : [],
    };
    const now = new Date().toISOString();
    const hour = String(Number(now.slice(11, 13)));
    const path = join(folder, 'node_fills_by_block/hourly', now.slice(0, 10).replaceAll('-', ''), hour);
    mkdirSync(dirname(path), { recursive: true });
    // In two pieces, so that a reader finds incomplete lines.
    const text = `${JSON.stringify(block)}\n`;
    appendFileSync(path, text.slice(0, 40));
    appendFileSync(path, text.slice(40));
  };
  write(Date.now() - 15 * DAY_MS);
  const timer = setInterval(() => write(Date.now()), 20);
  return {
    tids,
    /** Further blocks are empty. */
    endFills: () => {
      hasFills = false;
    },
    stop: () => clearInterval(timer),
  };
}

describe('the files of a self-hosted node', () => {
  const folders = { node: temporaryFolder('parallax-node'), data: temporaryFolder('parallax-fills') };
  const out = temporaryFolder('parallax-fills-rec');
  const node = startNode(folders.node.path);
  let service: Service | null = null;
  afterAll(async () => {
    node.stop();
    await service?.kill();
    for (const folder of [...Object.values(folders), out]) folder.remove();
  });
  const env = { PARALLAX_VENUE_A_NODE_DATA: folders.node.path };
  const start = () => startService({ dataDir: folders.data.path, flags: FLAGS, env });

  it('are published once, line by line, however often the service is killed', async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      service = await start();
      await sleep(Math.random() * 1_500);
      await service.kill();
    }
    service = await start();
    node.endFills();
    const expected = [...node.tids].reverse().slice(0, 2_000);
    const { native } = await eventually(
      () => get<UserFills>(service!, `/v1/venue_a/info/user-fills?user=${USER}`),
      // There may be more fills than one response has, so the newest one shows that all are in the table.
      ({ native: fills, meta }) => meta.source === 'node' && fills[0]?.tid === expected[0],
      120_000,
    );
    expect(native.map(({ tid }) => tid)).toEqual(expected);
    expect(native.every(({ liquidation }) => liquidation === null)).toBe(true);
    node.stop();
    expect(await service.stop()).toBe(0);

    const flags = ['--data-dir', folders.data.path, '--follow=off', '--out', out.path];
    const recorded = await runCommand('record', flags);
    expect(recorded.code, recorded.err).toBe(0);
    const lines = readFileSync(join(out.path, 'venue_a.node_fills.ndjson'), 'utf8').trim().split('\n');
    const blocks = lines.map((line) => (JSON.parse(line) as { data: { block_number: number } }).data.block_number);
    expect(blocks).toEqual(blocks.map((_, nth) => nth + 1));
  }, 600_000);

  it('end the start with exit code 2 and one line if their folder does not exist', async () => {
    const missing = { PARALLAX_VENUE_A_NODE_DATA: join(out.path, 'missing') };
    const { code, out: printed, err } = await runCommand('start', ['--data-dir', join(out.path, 'data')], missing);
    expect(code).toBe(2);
    expect(printed + err).toContain('PARALLAX_VENUE_A_NODE_DATA cannot be');
    expect((printed + err).trim().split('\n')).toHaveLength(1);
  });
});
