// Functions with which the checks of the stack run it, and ask it from outside.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const REST = 'http://127.0.0.1:8080';
const STREAM = 'ws://127.0.0.1:8080/v1/stream';
const PROMETHEUS = 'http://127.0.0.1:9090';
const COMMAND_TIMEOUT_MS = 10 * 60_000;
const WAIT_MS = 3 * 60_000;

export const docker = (...args) =>
  execFileSync('docker', args, { encoding: 'utf8', timeout: COMMAND_TIMEOUT_MS, maxBuffer: 2 ** 28 }).trim();
/** Both streams of a container's log, which Docker prints as its own two. */
export const logOf = (container) => {
  const { stdout, stderr, status } = spawnSync('docker', ['logs', container], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  assert.equal(status, 0, `docker logs ${container}: ${stderr}`);
  return `${stdout}\n${stderr}`;
};
export const lines = (text) => text.split('\n').filter(Boolean);
/** Names of the running containers of the stack, without those of others on a machine with an engine of its own. */
export const containers = (...options) =>
  lines(docker('ps', '--filter', 'label=com.docker.compose.project=parallax', ...options, '--format', '{{.Names}}'));
export const containerOf = (service) => containers().find((name) => name.includes(`_${service}_`));
export const healthyContainersOf = (service) =>
  containers('--filter', 'health=healthy').filter((name) => name.includes(`_${service}_`)).length;

/** Runs a command and resolves with its output. Rejects with it if the exit code is not the expected one. */
async function run(expected, command, ...args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: COMMAND_TIMEOUT_MS });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== expected) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.slice(-4_000)}`);
  return output;
}

/** Runs `npm run stack -- …`. */
export const stack = (expected, ...args) => run(expected, 'npm', 'run', '--silent', 'stack', '--', ...args);

/** The steps that a command of `npm run stack` consists of, as arguments of compose. */
export const stepsOf = (...args) =>
  lines(
    execFileSync('npm', ['run', '--silent', 'stack', '--', '--print', ...args], {
      encoding: 'utf8',
      timeout: COMMAND_TIMEOUT_MS,
    }),
  ).map((line) => line.replace(/^docker compose /, '').split(' '));

/** Runs compose with these arguments, which name the files, too. */
export const runCompose = (expected, args) => run(expected, 'docker-compose', ...args);

/** Runs compose with the files of the stack, and those of `--file` at the beginning of the arguments. */
export const compose = (...args) => composeEndsWith(0, ...args);

/** Like `compose`, with another exit code than 0. */
export function composeEndsWith(expected, ...args) {
  const [build] = stepsOf();
  return runCompose(expected, [...build.slice(0, build.indexOf('build')), ...args]);
}

export const secret = (name) => readFileSync(`infra/secrets/${name}`, 'utf8').trim();
const headers = () => ({ authorization: `Bearer ${secret('admin_token')}` });

export async function get(path) {
  const response = await fetch(`${REST}${path}`, { headers: headers(), signal: AbortSignal.timeout(10_000) });
  assert.equal(response.status, 200, `${path} answers ${response.status}`);
  return response.json();
}

/** Posts a body as JSON, and resolves with the answer. */
export async function post(expected, path, body) {
  const response = await fetch(`${REST}${path}`, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  assert.equal(response.status, expected, `${path} answers ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** `/health` of a process of the query API, whatever its status code is. */
export const health = async () => (await fetch(`${REST}/health`, { signal: AbortSignal.timeout(10_000) })).json();

/** Answer of Prometheus' API. */
export async function prometheus(path) {
  const response = await fetch(`${PROMETHEUS}/api/v1/${path}`, { signal: AbortSignal.timeout(10_000) });
  assert.equal(response.status, 200, `${path} answers ${response.status}`);
  return (await response.json()).data;
}

/** The value of an expression that has at most one series; 0 without any. */
export async function metric(expression) {
  const { result } = await prometheus(`query?query=${encodeURIComponent(expression)}`);
  return Number(result[0]?.value[1] ?? 0);
}

/** Repeats a check until it returns something true, and resolves with that. */
export async function until(check, what, waitMs = WAIT_MS) {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      const found = await check();
      if (found) return found;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${waitMs / 1000} s: ${what}`);
    await sleep(1_000);
  }
}

export const untilHealthy = (service, count = 1) =>
  until(() => healthyContainersOf(service) === count, `${count} healthy containers of ${service}`);

/** A spread of at least two priced legs of an open event, each of which `accepts`. */
export const spread = (accepts = () => true) =>
  until(async () => {
    const { events } = await get('/v1/events?status=open&limit=50');
    for (const { universalId } of events) {
      const found = await get(`/v1/events/${universalId}/spread`);
      if (found.legs.filter((leg) => leg.yesBid !== null && accepts(leg)).length >= 2) return found;
    }
  }, 'a spread of two priced legs over REST');

/** A spread from books that were received from now on. */
export const newSpread = (from = Date.now()) => spread(({ asOf }) => Date.parse(asOf) > from);

/** Resolves with the first spread of any of the events on the stream. */
export async function streamedSpread(ids, socket = new WebSocket(STREAM, { headers: headers() })) {
  try {
    return await new Promise((resolve, reject) => {
      socket.on('open', () => {
        for (const id of ids) socket.send(JSON.stringify({ type: 'subscribe', channel: `svc:stream:event:${id}` }));
      });
      socket.on('message', (text) => {
        const frame = JSON.parse(text);
        if (frame.type === 'error') reject(new Error(String(text)));
        if (frame.type === 'event' && frame.data.type === 'event.spread') resolve(frame.data.payload);
      });
      socket.on('error', reject);
      setTimeout(() => reject(new Error('no spread on the stream')), WAIT_MS).unref();
    });
  } finally {
    socket.terminate();
  }
}

/** Signs in as the portal does. Resolves with a function that opens a socket as a page of the portal does. */
export async function signIn() {
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(`${REST}/v1/session`, { method: 'POST', headers: headers(), signal });
  assert.equal(response.status, 204, `POST /v1/session answers ${response.status}`);
  const [cookie] = response.headers.get('set-cookie').split(';');
  const { csrf, streamUrl } = await (await fetch(`${REST}/v1/session`, { headers: { cookie }, signal })).json();
  assert.equal(streamUrl, STREAM);
  return (origin = REST) => new WebSocket(streamUrl, [`csrf.${csrf}`], { headers: { cookie, origin } });
}

/**
 * Follows a channel until `stop` is called. After each loss of the connection it continues with the cursor of its last
 * event. `losses` counts these; `faults` lists what a client must never see.
 */
export function followChannel(channel) {
  const follower = { events: 0, losses: 0, faults: [], stop: () => {} };
  let last = null;
  const connect = () => {
    const socket = new WebSocket(STREAM, { headers: headers() });
    follower.stop = () => {
      socket.removeAllListeners('close');
      socket.terminate();
    };
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'subscribe', channel, ...(last && { since: last.cursor }) }));
    });
    socket.on('message', (text) => {
      const frame = JSON.parse(text);
      if (['gap', 'lagged', 'error'].includes(frame.type)) follower.faults.push(String(text));
      if (frame.type !== 'event') return;
      const isNext = last === null || (frame.epoch === last.epoch && frame.seq === last.seq + 1);
      if (!isNext) follower.faults.push(`${frame.epoch}/${frame.seq} after ${last.epoch}/${last.seq}`);
      last = frame;
      follower.events += 1;
    });
    // An upgrade that is refused ends with `close`, too.
    socket.on('error', () => {});
    socket.on('close', () => {
      follower.losses += 1;
      const timer = setTimeout(connect, 500);
      follower.stop = () => clearTimeout(timer);
    });
  };
  connect();
  return follower;
}

/** Runs a statement in the store and returns its answer. */
export const query = (statement) =>
  docker(
    ...['exec', containerOf('clickhouse'), 'curl', '-sS', '--fail-with-body', '-H', 'X-ClickHouse-User: parallax'],
    ...['-H', `X-ClickHouse-Key: ${secret('clickhouse_password')}`, '--data-binary', statement],
    'http://127.0.0.1:8123/?database=parallax',
  );

/** Runs curl in the container of the edge, which reaches everything inside the network. */
export const curlInside = (...args) => docker('exec', containerOf('edge'), 'curl', '-sS', '-m', '10', ...args);

/**
 * Sends a request again and again until it is stopped, and collects the statuses. It does so inside the container of the
 * edge: between the host and its containers Podman's bridge loses packets when containers come and go.
 */
export function askInsideTheEdge(path) {
  const edge = containerOf('edge');
  const ask = `curl -s -m 10 -o /dev/null -w '%{http_code}\\n' -H "authorization: $KEY" 'http://127.0.0.1:8080${path}'`;
  const script = `while [ ! -e /tmp/stop ]; do ${ask}; sleep 0.05; done; rm /tmp/stop`;
  const child = spawn('docker', ['exec', '-e', 'KEY', edge, 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, KEY: headers().authorization },
  });
  const statuses = [];
  child.stdout.on('data', (chunk) => statuses.push(...lines(String(chunk))));
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const stop = async () => {
    docker('exec', edge, 'touch', '/tmp/stop');
    await ended;
  };
  return { statuses, stop };
}
