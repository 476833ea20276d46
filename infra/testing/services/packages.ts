/** Fetches the packages of Kafka and the registry into `.cache/services`, where later runs find them. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const KAFKA_VERSION = '4.1.0';
const APICURIO_VERSION = '2.6.13.Final';
/** Size of both downloads. */
const FETCHED_MB = 188;
/** A slow connection must be able to fetch the registry, which alone is 142 MB. */
const FETCH_TIMEOUT_MS = 300_000;

const run = promisify(execFile);
const cache = join(dirname(fileURLToPath(import.meta.url)), '../../../.cache/services');
const kafkaFolder = join(cache, `kafka-${KAFKA_VERSION}`);
const registryFolder = join(cache, `apicurio-${APICURIO_VERSION}`);

/** Sentence that states why the services cannot run here; null if they can. */
export function servicesMissing(): string | null {
  if (!answers('java', '-version')) return 'needs Java 17 or newer on the PATH to run Kafka and the schema registry';
  if (existsSync(kafkaFolder) && existsSync(registryFolder)) return null;
  if (!answers('mvn', '-version')) return 'needs Maven on the PATH to fetch Kafka and the schema registry once';
  return null;
}

/** Fetches missing packages, if that is possible here, so that no test waits for a download. */
export async function fetchServices(): Promise<void> {
  if (servicesMissing() !== null || (existsSync(kafkaFolder) && existsSync(registryFolder))) return;
  process.stderr.write(
    `Downloading Kafka ${KAFKA_VERSION} and Apicurio ${APICURIO_VERSION} (${FETCHED_MB} MB) once with Maven, into ${cache} …\n`,
  );
  await Promise.all([kafkaJars(), registryJar()]);
}

/** Resolves with the folder that holds every jar of the broker. */
export function kafkaJars(): Promise<string> {
  return fetchInto(kafkaFolder, async (folder) => {
    writeFileSync(join(folder, 'pom.xml'), POM);
    await maven(folder, ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}`]);
  });
}

/** Resolves with the path of the registry's runnable jar. */
export async function registryJar(): Promise<string> {
  const folder = await fetchInto(registryFolder, async (into) => {
    const artifact = `io.apicurio:apicurio-registry-app:${APICURIO_VERSION}:zip:all`;
    await maven(into, ['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${into}`]);
    const archive = `apicurio-registry-app-${APICURIO_VERSION}-all.zip`;
    await run('jar', ['xf', archive], { cwd: into, timeout: FETCH_TIMEOUT_MS });
    rmSync(join(into, archive));
  });
  const jar = readdirSync(folder).find((name) => name.endsWith('-runner.jar'));
  if (!jar) throw new Error(`${folder} holds no runnable jar; remove the folder, then it is fetched again`);
  return join(folder, jar);
}

/** Fills a temporary folder and renames it, so that an incomplete download is never used. */
async function fetchInto(folder: string, fill: (folder: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(join(cache, 'fetching-'));
  try {
    await fill(partial);
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function maven(cwd: string, args: readonly string[]): Promise<void> {
  await run('mvn', ['-q', '-B', ...args], { cwd, timeout: FETCH_TIMEOUT_MS });
}

function answers(command: string, argument: string): boolean {
  return spawnSync(command, [argument], { stdio: 'ignore' }).status === 0;
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>parallax.testing</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${KAFKA_VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;
