/** One embedded node, or a cluster whose REST has three nodes: what organizations have is to be the same on either. */
import { join } from 'node:path';
import { startBackends } from './cluster.ts';
import { type Service, startService, temporaryFolder } from './service.ts';

/** Requests of the free plan a day; by the minute it has no limit, so that no test meets the end of one. */
export const FREE_REQUESTS_A_DAY = 40;

const ENV = {
  PARALLAX_QUOTAS: JSON.stringify({ free: { 'api.request': { minute: null, day: FREE_REQUESTS_A_DAY } } }),
  // One attempt at once and some soon after: nothing here waits for long.
  PARALLAX_WEBHOOK_SCHEDULE: '0,1,1,2,2',
  PARALLAX_WEBHOOK_ALLOW_LOOPBACK: '1',
};
const LOG_CHARACTERS = 4_000;
/** A small world: it only has to tell something now and then. */
const WORLD = ['--venues', 'sim', '--sim-rate', '20', '--sim-events', '3', '--sim-coins', '4'];

export interface ControlNodes {
  /** Three processes of the query API; a single node thrice. */
  readonly apis: readonly [Service, Service, Service];
  readonly gateway: Service;
  /** Units that all nodes together may serve beyond a quota while they are asked `perSecond` times. */
  overshoot(perSecond: number): number;
  /** Stops the last of `apis` and starts it anew. */
  restartApi(): Promise<void>;
  /** Kills the gateway by SIGKILL, unless it has ended, and starts it anew. */
  killGateway(): Promise<void>;
  /** Stops every process; gives those that did not end cleanly, with the end of their logs. */
  stop(): Promise<string[]>;
  close(): Promise<void>;
}

export interface ControlCluster extends ControlNodes {
  /** Starts one more process over the same log and store; who starts it also ends it. */
  startBeside(name: string, roles: string, env?: Readonly<Record<string, string>>): Promise<Service>;
}

export async function startControlNode(): Promise<ControlNodes> {
  const folder = temporaryFolder('parallax-control');
  const start = () => startService({ dataDir: folder.path, flags: WORLD, env: ENV });
  let node = await start();
  return {
    get apis() {
      return [node, node, node] as const;
    },
    get gateway() {
      return node;
    },
    overshoot: () => 0,
    async restartApi() {
      await node.stop();
      node = await start();
    },
    async killGateway() {
      await node.kill();
      node = await start();
    },
    stop: async () => stopAll([['node', node]]),
    async close() {
      await node.kill();
      folder.remove();
    },
  };
}

/** Each node tells the others every 200 ms what it served, and a record takes its time; a second is generous. */
const TOLD_WITHIN_SECONDS = 1;

export async function startControlCluster(): Promise<ControlCluster> {
  const backends = await startBackends();
  const running = new Map<string, Service>();
  const startBeside: ControlCluster['startBeside'] = (name, roles, env = {}) => {
    const flags = [...backends.flags, ...WORLD, '--roles', roles];
    return startService({ dataDir: join(backends.folder, name), flags, env: { ...ENV, ...env } });
  };
  const start = async (name: string, roles: string) => void running.set(name, await startBeside(name, roles));
  const close = async () => {
    for (const service of running.values()) await service.kill();
    await backends.close();
  };
  try {
    // The first one makes topics and tables.
    await start('api-1', 'query-api');
    const others = [
      start('api-2', 'query-api'),
      start('api-3', 'query-api'),
      start('gateway', 'stream-gateway'),
      start('pipeline', 'ingest,processors'),
    ];
    for (const one of await Promise.allSettled(others)) if (one.status === 'rejected') throw one.reason;
  } catch (error) {
    await close();
    throw error;
  }
  const get = (name: string) => running.get(name)!;
  return {
    get apis() {
      return [get('api-1'), get('api-2'), get('api-3')] as const;
    },
    get gateway() {
      return get('gateway');
    },
    startBeside,
    overshoot: (perSecond) => perSecond * TOLD_WITHIN_SECONDS,
    async restartApi() {
      await get('api-3').stop();
      await start('api-3', 'query-api');
    },
    async killGateway() {
      await get('gateway').kill();
      await start('gateway', 'stream-gateway');
    },
    stop: () => stopAll(['pipeline', 'gateway', 'api-3', 'api-2', 'api-1'].map((name) => [name, get(name)])),
    close,
  };
}

async function stopAll(services: readonly (readonly [string, Service])[]): Promise<string[]> {
  const unclean = [];
  for (const [name, service] of services) {
    const code = await service.stop();
    if (code !== 0) unclean.push(`${name} ended with ${code}:\n${service.logs().slice(-LOG_CHARACTERS)}`);
  }
  return unclean;
}
