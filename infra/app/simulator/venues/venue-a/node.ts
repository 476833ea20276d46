/**
 * A self-hosted node of the simulated venue (venue page, section 10): its `info`, and files with the fills of all
 * accounts, one line for each block.
 */
import { mkdirSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { NODE_REQUESTS } from '#schemas/venues/venue-a/node-requests';
import type { SimulatedFeed } from '../../simulation.ts';
import type { HostAnswer, HostRequest } from '../../sockets/http-host.ts';
import type { World } from '../../world/world.ts';
import { BLOCK_MS, createAccounts } from './accounts.ts';
import { type InfoAnswer, UNREADABLE } from './info.ts';

/** Blocks are numbered from 2020. */
const FIRST_BLOCK_MS = Date.UTC(2020, 0, 1);

export interface SimulatedNode {
  readonly feed: SimulatedFeed;
  answer(request: HostRequest): Promise<HostAnswer>;
  /** Stops its clock and its files for this time; then it catches up. */
  freeze(durationMs: number): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

export interface NodeOptions {
  readonly world: World;
  readonly info: (body: unknown, atMs: number) => Promise<InfoAnswer>;
  readonly now: () => number;
  /** Folder of its files; null to write none. */
  readonly folder: string | null;
  readonly onError: (error: unknown) => void;
}

export function createNode({ world, info, now, folder, onError }: NodeOptions): SimulatedNode {
  const accounts = createAccounts(world);
  // A service that follows the folder requires that it exists.
  if (folder !== null) mkdirSync(folder, { recursive: true });
  let frozen: { readonly atMs: number; readonly untilMs: number } | null = null;
  /** The clock of the node. */
  const nodeNow = (): number => {
    if (frozen && now() >= frozen.untilMs) frozen = null;
    return frozen?.atMs ?? now();
  };
  let nextBlockMs: number | null = null;
  let writing = Promise.resolve();

  /** Writes the blocks up to the clock of the node. */
  const writeBlocks = (into: string, fromMs: number): void => {
    nextBlockMs ??= Math.ceil(fromMs / BLOCK_MS) * BLOCK_MS;
    const texts = new Map<string, string>();
    for (; nextBlockMs <= nodeNow(); nextBlockMs += BLOCK_MS) {
      const path = join(into, hourFile(nextBlockMs));
      texts.set(path, `${texts.get(path) ?? ''}${blockText(nextBlockMs, accounts.fillsAt(nextBlockMs))}\n`);
    }
    for (const [path, text] of texts) writing = writing.then(() => append(path, text)).catch(onError);
  };

  return {
    feed: { endStep: (fromMs) => void (folder !== null && writeBlocks(folder, fromMs)) },
    async answer({ method, path, body }) {
      const request = method === 'POST' && path === '/info' ? parseJsonOrNull(body) : null;
      if (!NODE_REQUESTS.has((request as { type?: unknown } | null)?.type)) return UNREADABLE;
      return info(request, nodeNow());
    },
    freeze(durationMs) {
      frozen = { atMs: nodeNow(), untilMs: now() + durationMs };
    },
    close: () => writing,
  };
}

/** `node_fills_by_block/hourly/<YYYYMMDD>/<H>`. */
function hourFile(blockMs: number): string {
  const iso = new Date(blockMs).toISOString();
  const date = iso.slice(0, 10).replaceAll('-', '');
  return join('node_fills_by_block', 'hourly', date, String(Number(iso.slice(11, 13))));
}

function blockText(blockMs: number, events: readonly unknown[]): string {
  const time = `${new Date(blockMs).toISOString().slice(0, -1)}000000`;
  const number = (blockMs - FIRST_BLOCK_MS) / BLOCK_MS;
  return JSON.stringify({ local_time: time, block_time: time, block_number: number, events });
}

async function append(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, text);
}
