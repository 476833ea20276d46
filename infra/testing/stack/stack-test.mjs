// Runs the stack and checks it from outside: `npm run stack:test`. It ends with exit code 1 at the first check that fails.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const REST = 'http://127.0.0.1:8080';
const STREAM = 'ws://127.0.0.1:8080/v1/stream';
const PROMETHEUS = 'http://127.0.0.1:9090';
const COMMAND_TIMEOUT_MS = 10 * 60_000;
const WAIT_MS = 2 * 60_000;

const docker = (...args) => execFileSync('docker', args, { encoding: 'utf8', timeout: COMMAND_TIMEOUT_MS }).trim();
const lines = (text) => text.split('\n').filter(Boolean);
const containers = () => lines(docker('ps', '--format', '{{.Names}}'));
const containerOf = (service) => containers().find((name) => name.includes(`_${service}_`));

/** Runs a command and resolves with its exit code and its output, which is printed if the code is not the expected one. */
async function run(expected, command, ...args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: COMMAND_TIMEOUT_MS });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  if (code !== expected) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.slice(-4_000)}`);
  return output;
}
const stack = (expected, ...args) => run(expected, 'npm', 'run', '--silent', 'stack', '--', ...args);
const compose = (...args) => {
  const [line] = lines(execFileSync('npm', ['run', '--silent', 'stack', '--', '--print'], { encoding: 'utf8' }));
  const files = line
    .replace(/^docker compose /, '')
    .replace(/ up .*$/, '')
    .split(' ');
  return run(0, 'docker-compose', ...files, ...args);
};

const secret = (name) => readFileSync(`infra/secrets/${name}`, 'utf8').trim();
const headers = () => ({ authorization: `Bearer ${secret('admin_token')}` });

async function get(path) {
  const response = await fetch(`${REST}${path}`, { headers: headers(), signal: AbortSignal.timeout(10_000) });
  assert.equal(response.status, 200, `${path} answers ${response.status}`);
  return response.json();
}

/** Repeats a check until it holds. */
async function until(check, what) {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      const found = await check();
      if (found) return found;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${WAIT_MS / 1000} s: ${what}`);
    await sleep(1_000);
  }
}

/** An open event with a spread of at least two priced legs. */
const spread = () =>
  until(async () => {
    const { events } = await get('/v1/events?status=open&limit=50');
    for (const { universalId } of events) {
      const found = await get(`/v1/events/${universalId}/spread`);
      if (found.legs.filter(({ yesBid }) => yesBid !== null).length >= 2) return found;
    }
  }, 'a spread of two priced legs over REST');

/** Resolves with the first spread of any of the events on the stream. */
async function streamedSpread(ids) {
  const socket = new WebSocket(STREAM, { headers: headers() });
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

/** Runs a statement in the store and returns its answer. */
const query = (statement) =>
  docker(
    ...['exec', containerOf('clickhouse'), 'curl', '-sS', '--fail-with-body', '-H', 'X-ClickHouse-User: parallax'],
    ...['-H', `X-ClickHouse-Key: ${secret('clickhouse_password')}`, '--data-binary', statement],
    'http://127.0.0.1:8123/?database=parallax',
  );

const healthyContainersOf = (service) =>
  lines(docker('ps', '--filter', 'health=healthy', '--format', '{{.Names}}')).filter((name) =>
    name.includes(`_${service}_`),
  ).length;

/**
 * Sends a request again and again until it is stopped, and collects the statuses. It does so inside the container of the
 * edge: between the host and its containers Podman's bridge loses packets when containers come and go.
 */
function askInsideTheEdge(path) {
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

const checks = {
  'npm run stack starts everything': () => stack(0),
  'every container is healthy, has a read-only root, no capabilities, and another user than root': () => {
    assert.equal(containers().length, 10);
    for (const name of containers()) {
      const format = '{{.State.Health.Status}} {{.HostConfig.ReadonlyRootfs}}';
      const [health, readOnly] = docker('inspect', '--format', format, name).split(' ');
      assert.deepEqual([name, health, readOnly], [name, 'healthy', 'true']);
      assert.notEqual(docker('exec', name, 'id', '-u'), '0', name);
      assert.match(docker('exec', name, 'grep', 'CapEff', '/proc/self/status'), /\b0+$/, name);
    }
  },
  'a spread comes through the edge over REST and over the stream': async () => {
    await spread();
    const { events } = await get('/v1/events?status=open&limit=50');
    const streamed = await streamedSpread(events.map(({ universalId }) => universalId));
    assert.ok(streamed.legs.length > 0);
  },
  'Prometheus reaches every target': () =>
    until(async () => {
      const { data } = await (await fetch(`${PROMETHEUS}/api/v1/targets`)).json();
      const up = data.activeTargets.filter(({ health }) => health === 'up');
      return up.length === 5 && data.activeTargets.length === 5;
    }, 'five targets that are up'),
  'scaling to two and back fails no request': async () => {
    const { statuses, stop } = askInsideTheEdge('/v1/events?limit=1');
    for (const count of [2, 1])
      for (const service of ['query-api', 'stream-gateway']) {
        await compose('up', '--detach', '--no-recreate', '--scale', `${service}=${count}`, service);
        await until(() => healthyContainersOf(service) === count, `${count} healthy containers of ${service}`);
      }
    await stop();
    assert.ok(statuses.length > 100, `${statuses.length} requests`);
    assert.deepEqual([...new Set(statuses)], ['200']);
  },
  'down and up keep the key, the events and the tables': async () => {
    const [{ universalId, firstSeenAt }] = (await get('/v1/events?status=open&limit=1')).events;
    const trades = Number(query('SELECT count() FROM trades'));
    await stack(0, 'down');
    await stack(0);
    assert.equal((await get(`/v1/events/${universalId}/health`)).event.firstSeenAt, firstSeenAt);
    assert.ok(trades > 0 && Number(query('SELECT count() FROM trades')) >= trades);
    await spread();
  },
  'the receiver verifies the signatures of webhooks': async () => {
    await stack(0, '--demo');
    await until(() => / verified event\./.test(docker('logs', containerOf('webhook-receiver'))), 'a verified delivery');
    assert.doesNotMatch(docker('logs', containerOf('webhook-receiver')), /refused/);
  },
  'a replay that verifies finds no difference': async () => {
    assert.match(await stack(0, 'replay', '--verify'), /^0 differences$/m);
  },
  'a replay that verifies reports a row that was deleted': async () => {
    const [id] = lines(query('SELECT id FROM trades ORDER BY receivedAt LIMIT 1'));
    query(`DELETE FROM trades WHERE id = '${id}'`);
    const output = await stack(1, 'replay', '--verify');
    assert.match(output, /^trades .*\n {2}expected .*\n {2}actual {3}nothing$/m);
    assert.match(output, /^1 differences$/m);
  },
  'a replay restores it': async () => {
    await stack(0, 'replay');
    assert.match(await stack(0, 'replay', '--verify'), /^0 differences$/m);
    await spread();
  },
};

/** The requests that took the edge longer than a second, from its access log: the time is the number after the bytes. */
const slowRequests = () =>
  lines(docker('logs', containerOf('edge'))).filter((line) => Number(/" \d+ \d+ ([\d.]+) /.exec(line)?.[1]) > 1);

for (const [what, check] of Object.entries(checks)) {
  const from = Date.now();
  try {
    await check();
  } catch (error) {
    process.stdout.write(`failed: ${what}\nslow requests:\n${slowRequests().join('\n')}\n`);
    throw error;
  }
  process.stdout.write(`${((Date.now() - from) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);
}
