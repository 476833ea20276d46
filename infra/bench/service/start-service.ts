/** A whole service as a process of its own, on a folder of its own, and what benchmarks read of it. */
import { formatToken, mintToken } from '../../control/token.ts';
import { type SpawnedProgram, spawnProgram } from '../threads/start-process.ts';

const START_TIMEOUT_MS = 60_000;
/** How long a REST answer is waited for. */
export const ANSWER_TIMEOUT_MS = 20_000;

/** REST reads are counted, but none is refused; frames of sockets are unlimited in this plan anyway. */
const QUOTAS = '{"enterprise":{"markets.read":{"minute":null,"day":null},"api.request":{"minute":null,"day":null}}}';

export interface ServiceOptions {
  readonly dataDir: string;
  /** Where its frames come from, as `--venues sim --sim-rate 3000`. */
  readonly world: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A free one when left out. */
  readonly httpPort?: number;
  /** Of the admin key; a new one when left out. A data directory keeps the first it was started with. */
  readonly token?: string;
}

export interface SpawnedService extends SpawnedProgram {
  readonly headers: Readonly<Record<string, string>>;
}

export interface StartedService extends SpawnedService {
  readonly restUrl: string;
  readonly streamUrl: string;
}

/** Does not wait until it is ready. */
export function spawnService({ dataDir, world, env = {}, httpPort = 0, token }: ServiceOptions): SpawnedService {
  const key = token ?? newToken();
  const flags = ['--http-port', String(httpPort), '--ws-port', '0', '--data-dir', dataDir, '--log-level', 'error'];
  const variables = { PARALLAX_ADMIN_TOKEN: key, PARALLAX_QUOTAS: QUOTAS, ...env };
  return {
    ...spawnProgram('service', [...world, ...flags], variables),
    headers: { authorization: `Bearer ${key}` },
  };
}

export function newToken(): string {
  return formatToken(mintToken());
}

/** Waits until it says where it listens, which it does once every part is ready; stops it when that does not come. */
export async function startService(options: ServiceOptions): Promise<StartedService> {
  const service = spawnService(options);
  try {
    const streamUrl = await service.line('WebSocket', START_TIMEOUT_MS);
    return { ...service, streamUrl, restUrl: await service.line('REST') };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Records that it has appended to the raw topics since it was started. */
export async function rawRecordsOf({ restUrl }: Pick<StartedService, 'restUrl'>): Promise<number> {
  const response = await fetch(`${restUrl}/metrics`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  return sumOfMetric(await response.text(), 'parallax_ingested_total');
}

/** The sum of a metric over all its labels. Throws when there is none. */
export function sumOfMetric(text: string, name: string): number {
  const values = text.split('\n').flatMap((line) => {
    const isOfIt = line.startsWith(`${name} `) || line.startsWith(`${name}{`);
    return isOfIt ? [Number(line.slice(line.lastIndexOf(' ') + 1))] : [];
  });
  if (values.length === 0) throw new Error(`no metric ${name}`);
  return values.reduce((sum, value) => sum + value, 0);
}

/** The data of an answer of its REST side. Throws for anything but a 200. */
export async function readJson<T>({ restUrl, headers }: StartedService, path: string): Promise<T> {
  const response = await fetch(`${restUrl}${path}`, { headers, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
