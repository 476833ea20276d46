/** Starts a whole service as a separate process, and reads data from it for benchmarks. */
import { formatToken, mintToken } from '../../../control/token.ts';
import { type SpawnedProgram, spawnProgram } from '../threads/start-process.ts';

const START_TIMEOUT_MS = 60_000;
/** Timeout of a REST request. */
export const RESPONSE_TIMEOUT_MS = 20_000;

/** REST reads are counted but unlimited; frames of sockets are unlimited in this plan anyway. */
const QUOTAS = '{"enterprise":{"markets.read":{"minute":null,"day":null},"api.request":{"minute":null,"day":null}}}';

export interface ServiceOptions {
  readonly dataDir: string;
  /** Flags that select the source of frames, such as `--venues sim --sim-rate 3000`. */
  readonly sourceFlags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A free port by default. */
  readonly httpPort?: number;
  /** Token of the admin key; a new one by default. A data directory keeps its first admin key. */
  readonly token?: string;
}

export interface SpawnedService extends SpawnedProgram {
  readonly headers: Readonly<Record<string, string>>;
}

export interface StartedService extends SpawnedService {
  readonly restUrl: string;
  readonly streamUrl: string;
}

/** Starts the process without waiting until it is ready. */
export function spawnService({ dataDir, sourceFlags, env = {}, httpPort = 0, token }: ServiceOptions): SpawnedService {
  const key = token ?? newToken();
  const flags = ['--http-port', String(httpPort), '--ws-port', '0', '--data-dir', dataDir, '--log-level', 'error'];
  const variables = { PARALLAX_ADMIN_TOKEN: key, PARALLAX_QUOTAS: QUOTAS, ...env };
  return {
    ...spawnProgram('service', [...sourceFlags, ...flags], variables),
    headers: { authorization: `Bearer ${key}` },
  };
}

export function newToken(): string {
  return formatToken(mintToken());
}

/** Starts the service and waits until it prints its URLs, which means that every part is ready. Stops it on failure. */
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

/** Reads the number of records appended to raw topics since the start. */
export async function readRawRecordCount({ restUrl }: Pick<StartedService, 'restUrl'>): Promise<number> {
  const response = await fetch(`${restUrl}/metrics`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
  return sumOfMetric(await response.text(), 'parallax_ingested_total');
}

/** Sums a metric over all its labels. Throws if it is missing. */
export function sumOfMetric(text: string, name: string): number {
  const values = text.split('\n').flatMap((line) => {
    const isOfIt = line.startsWith(`${name} `) || line.startsWith(`${name}{`);
    return isOfIt ? [Number(line.slice(line.lastIndexOf(' ') + 1))] : [];
  });
  if (values.length === 0) throw new Error(`no metric ${name}`);
  return values.reduce((sum, value) => sum + value, 0);
}

/** Reads JSON over REST. Throws for any status but 200. */
export async function readJson<T>({ restUrl, headers }: StartedService, path: string): Promise<T> {
  const response = await fetch(`${restUrl}${path}`, { headers, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
