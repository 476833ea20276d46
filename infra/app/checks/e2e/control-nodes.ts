/**
 * Starts one embedded node, or a cluster with three nodes of the query API. Organizations must see the same on both.
 */
import { join } from 'node:path';
import { startMemoryRegistry } from '../../../testing/services.ts';
import { type Access, startSecuredBackends } from './cluster.ts';
import { type CommandResult, runCommand } from './command.ts';
import { type Service, startService, temporaryFolder } from './service.ts';
import { startVenueNode, type VenueNode } from './venue-node.ts';

/** Requests per day of the free plan. It has no limit per minute, so that no test crosses the end of a minute. */
export const FREE_REQUESTS_A_DAY = 40;

const ENV = {
  PARALLAX_QUOTAS: JSON.stringify({ free: { 'api.request': { minute: null, day: FREE_REQUESTS_A_DAY } } }),
  // Short delays between attempts, so that tests do not wait long.
  PARALLAX_WEBHOOK_SCHEDULE: '0,1,1,2,2',
  PARALLAX_WEBHOOK_ALLOW_LOOPBACK: '1',
};
/** The user that the second listener of the cluster's broker expects, over TLS. */
export const BROKER_USER = { username: 'parallax', password: 'right-password-of-this-broker' };
/** Processes that use this listener. The others use the plain one, which takes the broker less CPU. */
const SECURED = ['api-3', 'pipeline'];
const LOG_CHARACTERS = 4_000;
/** A small simulation: tests only need an event now and then. */
const SIMULATOR_FLAGS = ['--venues', 'sim', '--sim-rate', '3', '--sim-events', '3', '--sim-coins', '4'];

export interface ControlNodes {
  /** Three processes of the query API, or the single node three times. In a cluster, the last one uses TLS. */
  readonly apis: readonly [Service, Service, Service];
  readonly gateway: Service;
  /** Units that all nodes together may serve beyond a quota at `perSecond` requests. */
  overshoot(perSecond: number): number;
  /** Restarts the last of `apis`. */
  restartApi(): Promise<void>;
  /** Kills the gateway by SIGKILL, unless it has exited, and starts it again. */
  killGateway(): Promise<void>;
  /** Stops every process. Returns those that did not exit cleanly, with the end of their logs. */
  stop(): Promise<string[]>;
  close(): Promise<void>;
}

export interface ControlCluster extends ControlNodes {
  /** Parent of the processes' data directories. */
  readonly folder: string;
  /** Every process that was started, also those that have ended. */
  readonly services: readonly Service[];
  /** The self-hosted node of venue_a that ingest reads first. */
  readonly venueNode: VenueNode;
  /** Kills ingest and the processors by SIGKILL. `startPipeline` starts them again. */
  killPipeline(): Promise<void>;
  startPipeline(): Promise<void>;
  /** Starts one more process over the same log and store. The caller must stop it. */
  startExtra(name: string, roles: string, env?: Readonly<Record<string, string>>): Promise<Service>;
  /** Starts a process that the broker refuses over TLS because of `env`. Resolves once it has ended. */
  runRefused(env: Readonly<Record<string, string>>): Promise<CommandResult>;
}

export async function startControlNode(): Promise<ControlNodes> {
  const folder = temporaryFolder('parallax-control');
  const start = () => startService({ dataDir: folder.path, flags: SIMULATOR_FLAGS, env: ENV });
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

/** Every node publishes its usage every 200 ms. One second is a generous bound for its arrival on the others. */
const USAGE_LAG_SECONDS = 1;

export async function startControlCluster(): Promise<ControlCluster> {
  const [backends, venueNode] = await Promise.all([
    startSecuredBackends(BROKER_USER, startMemoryRegistry),
    startVenueNode(),
  ]);
  const running = new Map<string, Service>();
  const services: Service[] = [];
  const optionsOf = ({ flags, env }: Access, name: string, roles: string, own: Access['env']) => ({
    dataDir: join(backends.folder, name),
    flags: [...flags, ...SIMULATOR_FLAGS, '--roles', roles],
    env: { ...ENV, ...env, PARALLAX_VENUE_A_NODE_URL: venueNode.url, ...own },
  });
  const startExtra: ControlCluster['startExtra'] = async (name, roles, env = {}) => {
    const access = SECURED.includes(name) ? backends.secured : backends;
    const service = await startService(optionsOf(access, name, roles, env));
    services.push(service);
    return service;
  };
  const start = async (name: string, roles: string) => void running.set(name, await startExtra(name, roles));
  const startPipeline = () => start('pipeline', 'ingest,processors');
  const close = async () => {
    for (const service of running.values()) await service.kill();
    await venueNode.close();
    await backends.close();
  };
  try {
    // The first process creates topics and tables.
    await start('api-1', 'query-api');
    const others = [
      start('api-2', 'query-api'),
      start('api-3', 'query-api'),
      start('gateway', 'stream-gateway'),
      startPipeline(),
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
    folder: backends.folder,
    services,
    venueNode,
    startExtra,
    runRefused(env) {
      const { dataDir, flags, env: all } = optionsOf(backends.secured, 'refused', 'query-api', env);
      return runCommand('start', [...flags, '--http-port', '0', '--ws-port', '0', '--data-dir', dataDir], all);
    },
    overshoot: (perSecond) => perSecond * USAGE_LAG_SECONDS,
    killPipeline: () => get('pipeline').kill(),
    startPipeline,
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
