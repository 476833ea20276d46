import { freePorts, startJava } from './java-process.ts';
import { registryJar } from './packages.ts';

const REQUEST_TIMEOUT_MS = 2_000;

export interface RegistryService {
  /** Base URL of the server; the Confluent API is below it at `/apis/ccompat/v7`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts an Apicurio registry that stores its schemas in memory. */
export async function startRegistry(): Promise<RegistryService> {
  const jar = await registryJar();
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const options = ['-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`, '-Dquarkus.log.level=WARN'];
  const server = await startJava([...options, '-jar', jar], async () => {
    const answer = await fetch(`${url}/apis/ccompat/v7/subjects`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`the registry answers ${answer.status}`);
  });
  return { url, stop: () => server.stop() };
}
