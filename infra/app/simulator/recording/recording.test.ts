import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOPIC } from '../venues/venue-b/contracts.ts';
import { createNdjsonFile, LineOrderError } from './ndjson-file.ts';
import { RecordingFolderError, type RecordingSummary, writeSimulatedRecording } from './write-simulated-recording.ts';

const START = Date.UTC(2026, 2, 3, 16, 30);
const HOUR = Date.UTC(2026, 2, 3, 17);
let folder = '';
let summary: RecordingSummary;
const options = (name: string) => ({
  seed: 3,
  rate: 2,
  events: 3,
  coins: 3,
  hours: 1,
  out: join(folder, name),
  startMs: START,
  gzip: true,
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulated-recording-'));
  summary = await writeSimulatedRecording(options('first'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

interface Line {
  readonly at: number;
  readonly source: string;
  readonly request?: unknown;
  readonly data?: Record<string, never>;
  readonly block?: { number: string; hash: string; parentHash: string };
  readonly log?: { blockHash: string; transactionHash: string };
}
async function linesOf(source: string, name = 'first'): Promise<Line[]> {
  const text = gunzipSync(await readFile(join(folder, name, `${source}.ndjson.gz`))).toString();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a simulated recording', () => {
  it('has a file for each interface, sorted by time and within the hour', async () => {
    const names = await readdir(join(folder, 'first'));
    expect(names.sort()).toEqual(
      [
        'README.md',
        ...[
          'venue_a.info',
          'venue_a.node_fills',
          'venue_a.stats',
          'venue_a.ws',
          'venue_b.clob',
          'venue_b.clob_ws',
          'venue_b.gamma',
          'venue_b.rpc',
        ].map((n) => `${n}.ndjson.gz`),
      ].sort(),
    );
    for (const { lines, path } of summary.files) {
      const source = path.split('/').at(-1)!.replace('.ndjson.gz', '');
      const recorded = await linesOf(source);
      expect(recorded).toHaveLength(lines);
      expect(recorded.every((line) => line.source === source)).toBe(true);
      const times = recorded.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times[0]).toBeGreaterThanOrEqual(START);
      expect(times.at(-1)).toBeLessThanOrEqual(START + 3_600_000);
    }
    expect(summary.events).toBe(2 * 3_600);
  });

  it('starts with the catalogs and the books, and contains the new ones after questions have expired', async () => {
    const info = await linesOf('venue_a.info');
    const types = (lines: Line[]) => lines.map(({ request }) => (request as { type: string }).type);
    expect(types(info.filter(({ at }) => at === START))).toEqual(
      expect.arrayContaining(['perpDexs', 'allPerpMetas', 'metaAndAssetCtxs', 'spotMetaAndAssetCtxs', 'outcomeMeta']),
    );
    expect(types(info.filter(({ at }) => at > START))).toEqual(
      expect.arrayContaining(['outcomeMeta', 'settledOutcome']),
    );
    const gamma = await linesOf('venue_b.gamma');
    expect(gamma.every(({ request }) => /^GET \/(events|markets)\/keyset\?/.test(String(request)))).toBe(true);
    expect(new Set(gamma.map(({ at }) => at)).size).toBe(2);
    const frames = await linesOf('venue_b.clob_ws');
    expect(frames[0]!.data).toMatchObject({ event_type: 'book' });
    const fresh = frames.findIndex(
      ({ data }) => (data as unknown as Record<string, string>).event_type === 'new_market',
    );
    const asset = (frames[fresh]!.data as unknown as { assets_ids: string[] }).assets_ids[0];
    expect(
      frames.slice(fresh).some(({ data }) => {
        const { event_type, asset_id } = data as unknown as Record<string, string>;
        return event_type === 'book' && asset_id === asset;
      }),
    ).toBe(true);
  });

  it('contains each block before its logs, and each block names its parent', async () => {
    const lines = await linesOf('venue_b.rpc');
    let newest: Line['block'];
    let logs = 0;
    for (const { block, log } of lines) {
      if (block && newest) expect(block.parentHash).toBe(newest.hash);
      if (block) newest = block;
      if (log) expect(log.blockHash).toBe(newest!.hash);
      if (log) logs += 1;
    }
    expect(lines.length - logs).toBe(1_800);
    expect(logs).toBeGreaterThan(500);
  });

  it('contains the market answer of each resolved market', async () => {
    const answers = (await linesOf('venue_b.clob')).filter(({ at }) => at > START);
    const ended = answers.filter(({ data }) => (data as unknown as { closed: boolean }).closed);
    const resolved = (await linesOf('venue_b.rpc')).filter(
      ({ log }) => (log as unknown as { topics: string[] } | undefined)?.topics[0] === TOPIC.conditionResolution,
    );
    const conditionOf = ({ log }: Line) => (log as unknown as { topics: string[] }).topics[1];
    const conditionIds = ended.map(({ data }) => (data as unknown as { condition_id: string }).condition_id);
    expect(new Set(conditionIds)).toEqual(new Set(resolved.map(conditionOf)));
    expect(Math.max(...resolved.map(({ at }) => at))).toBeGreaterThan(HOUR + 180_000);
  });

  it('is identical to the byte when written again', async () => {
    await writeSimulatedRecording(options('second'));
    for (const { path } of summary.files) {
      const name = path.split('/').at(-1)!;
      const [first, second] = await Promise.all(['first', 'second'].map((part) => readFile(join(folder, part, name))));
      expect(first!.equals(second!), name).toBe(true);
    }
  });

  it('is not written into a folder that is not empty', async () => {
    await expect(writeSimulatedRecording(options('first'))).rejects.toThrow(RecordingFolderError);
  });
});

describe('a file of a recording', () => {
  it('rejects a line that is older than the one before it', async () => {
    const file = createNdjsonFile(join(folder, 'order'), false);
    file.line(5, '{}');
    file.line(5, '{}');
    expect(() => file.line(4, '{}')).toThrow(LineOrderError);
    await file.close();
    expect(await readFile(join(folder, 'order.ndjson'), 'utf8')).toBe('{}\n{}\n');
  });

  it('rejects on close if the file cannot be written', async () => {
    const file = createNdjsonFile(join(folder, 'nowhere', 'file'), false);
    file.line(1, '{}');
    await expect(file.close()).rejects.toThrow('ENOENT');
  });
});
