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

const checks = {
  'npm run stack starts everything': () => stack(0),
  'every container is healthy, has a read-only root, no capabilities, and another user than root': () => {
    assert.equal(containers().length, 10);
    for (const name of containers()) {
      const format = '{{.State.Health.Status}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}';
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
    let [asked, stopped] = [0, false];
    const failed = [];
    const asking = (async () => {
      while (!stopped) {
        asked += 1;
        await get('/v1/events?limit=1').catch((error) => failed.push(error.message));
        await sleep(50);
      }
    })();
    for (const count of [2, 1])
      for (const service of ['query-api', 'stream-gateway']) {
        await compose('up', '--detach', '--no-recreate', '--scale', `${service}=${count}`, service);
        await until(
          () =>
            lines(docker('ps', '--filter', 'health=healthy', '--format', '{{.Names}}')).filter((name) =>
              name.includes(`_${service}_`),
            ).length === count,
          `${count} healthy containers of ${service}`,
        );
      }
    stopped = true;
    await asking;
    assert.deepEqual(failed, []);
    assert.ok(asked > 20);
  },
  'down and up keep the key, the events and the tables': async () => {
    const [event] = (await get('/v1/events?status=open&limit=1')).events;
    const trades = Number(query('SELECT count() FROM trades'));
    await stack(0, 'down');
    await stack(0);
    assert.equal((await get(`/v1/events/${event.universalId}`)).universalId, event.universalId);
    assert.ok(trades > 0 && Number(query('SELECT count() FROM trades')) >= trades);
    await spread();
  },
  'a replay that verifies finds no difference': async () => {
    assert.match(await stack(0, 'replay', '--verify'), /^0 differences$/m);
  },
  'a replay that verifies reports a row that was deleted': async () => {
    const [id] = lines(query('SELECT id FROM trades ORDER BY receivedAt LIMIT 1'));
    query(`DELETE FROM trades WHERE id = '${id}'`);
    assert.match(await stack(1, 'replay', '--verify'), /^trades: .*missing/m);
  },
  'a replay restores it': async () => {
    await stack(0, 'replay');
    assert.match(await stack(0, 'replay', '--verify'), /^0 differences$/m);
    await spread();
  },
};

for (const [what, check] of Object.entries(checks)) {
  const from = Date.now();
  await check();
  process.stdout.write(`${((Date.now() - from) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);
}
