/** The real gateway on its own embedded log, with keys of any scope and frames of any channel. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, stdSerializers } from 'pino';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { loadSettings } from '#infra/config/settings';
import { createAuthenticator } from '#infra/control/authenticator';
import { openControlReplica } from '#infra/control/control-replica';
import { hashSecret } from '#infra/control/secret-hash';
import { csrfOf, digestOf, mintCookie } from '#infra/control/session-cookie';
import { formatToken, mintToken } from '#infra/control/token';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import { beginEpoch } from '#infra/log/epochs';
import type { RoleContext } from '#infra/runtime/context';
import type { Store } from '#infra/store/store';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { dropSession, putKey, putSession } from '#schemas/domain/control/indices';
import type { Key, Scope, SecretHash } from '#schemas/domain/control/state';
import { parseChannel } from '#schemas/stream/channel-names';
import { TOPICS } from '#schemas/topics/catalog';
import { channelTopics, rawChannelTopics } from '#schemas/topics/channels';
import { rawTopic } from '#schemas/topics/raw';
import { partitionOf, type Topic } from '#schemas/topics/topic';
import { start } from '../start.ts';

/** Never compared: tokens of tests are marked as verified instead, since hashing is slow by design. */
const NO_HASH = { algorithm: 'scrypt', N: 2, r: 1, p: 1, salt: '', hash: '' } as const;

export interface TokenOptions {
  readonly scopes?: readonly Scope[];
  readonly orgId?: string;
  readonly sandbox?: boolean;
}

export interface SessionOptions extends TokenOptions {
  /** Unix ms; an hour from now by default. */
  readonly expiresAt?: number;
}

/** A portal session as its browser has it. */
export interface TestSession {
  /** The `Cookie` header. */
  readonly cookie: string;
  readonly csrf: string;
  readonly keyId: string;
  /** Ends it on this node, as signing out does. */
  end(): void;
}

export interface GatewayHarness {
  readonly context: RoleContext;
  readonly url: string;
  /** JSON lines that the gateway logged. */
  readonly logged: string[];
  /** A valid token that this node has already verified; `org_1` and the scope `stream` by default. */
  token(options?: TokenOptions): string;
  /** A valid token whose secret the node has to hash when it is first used. */
  newToken(options?: TokenOptions): Promise<string>;
  /** A portal session of a new key. */
  session(options?: SessionOptions): TestSession;
  /**
   * Appends frames to a channel that is no raw feed in one batch, with consecutive numbers. Returns the newest `seq`.
   */
  publish(channel: string, frames: number, payload?: string): Promise<number>;
  /**
   * Appends one raw record with this text, and to each of the channels of venue_a a frame for each piece of it. Returns
   * the offset of the raw record.
   */
  publishRaw(channels: readonly string[], text: string, pieces: readonly string[]): Promise<number>;
  /** Appends one record to any topic. */
  append<T>(topic: Topic<T>, key: string, value: T): Promise<void>;
  /** Empties the channel topics and begins new epochs, as a rebuild does. */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function openGateway(environment: Readonly<Record<string, string>> = {}): Promise<GatewayHarness> {
  const path = await mkdtemp(join(tmpdir(), 'parallax-gateway-'));
  const log = await openEmbeddedLog({ path });
  await log.createTopics(TOPICS);
  const codec = createCodec(await openLogRegistry(log));
  await codec.prepare(TOPICS);
  const logged: string[] = [];
  const context: RoleContext = {
    settings: { ...loadSettings([], environment), host: '127.0.0.1', wsPort: 0 },
    log,
    // The gateway does not use the store.
    store: null as unknown as Store,
    codec,
    logger: pino(
      { level: 'debug', serializers: { error: stdSerializers.err } },
      { write: (line: string) => void logged.push(line) },
    ),
    metrics: createMetrics(),
    health: createHealth(),
  };
  const beginEpochs = async () => {
    for (const topic of Object.values(channelTopics)) await beginEpoch(log, codec, topic.name);
  };
  await beginEpochs();
  const replica = await openControlReplica(context);
  const gateway = await start(context);
  const seqs = new Map<string, number>();
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await gateway.close();
  };
  const put = (
    secret: SecretHash,
    { scopes = ['stream'], orgId = 'org_1', sandbox = false }: TokenOptions = {},
    token = mintToken(sandbox),
  ) => {
    const createdAt = '2026-01-01T00:00:00.000Z';
    replica.state.organizations.set(orgId, { id: orgId, name: orgId, plan: 'enterprise', createdAt });
    const key: Key = { id: token.keyId, orgId, name: 'test', userId: 'test', scopes, sandbox, secret, createdAt };
    putKey(replica.state, key);
    return token;
  };
  return {
    context,
    url: gateway.url,
    logged,
    token(options) {
      const token = put(NO_HASH, options);
      createAuthenticator(replica).remember(token);
      return formatToken(token);
    },
    async newToken(options) {
      const token = mintToken(options?.sandbox ?? false);
      return formatToken(put(await hashSecret(token.secret), options, token));
    },
    session({ expiresAt = Date.now() + 3_600_000, ...options } = {}) {
      const { keyId } = put(NO_HASH, options);
      const value = mintCookie();
      const session = { digest: digestOf(value), keyId, createdAt: '2026-01-01T00:00:00.000Z', expiresAt };
      putSession(replica.state, session);
      const end = () => dropSession(replica.state, session);
      return { cookie: `plx_session=${value}`, csrf: csrfOf(value), keyId, end };
    },
    async publish(channel, frames, payload = '{"yesMid":0.5}') {
      const { writer } = parseChannel(channel)!;
      if (writer !== 'events' && writer !== 'organizations') throw new Error(`${channel} is a raw feed`);
      const topic = channelTopics[writer];
      const before = seqs.get(channel) ?? 0;
      const at = { topic: topic.name, partition: partitionOf(channel, topic.partitions), key: channel };
      const records = Array.from({ length: frames }, (_, nth) => {
        const seq = before + nth + 1;
        const frame = {
          channel,
          seq,
          type: 'event.spread',
          provider: 'venue_b',
          marketId: null,
          receivedAt: 7,
          requestedAt: null,
          payload,
        };
        return { ...at, seq, receivedAt: 7, value: codec.encode(topic, frame) };
      });
      seqs.set(channel, before + frames);
      await log.append(records);
      return before + frames;
    },
    async publishRaw(channels, text, pieces) {
      const raw = { topic: rawTopic('venue_a', 'ws').name, partition: 1 };
      const offset = (await log.bounds(raw)).next;
      const source = { provider: 'venue_a', receivedAt: 7 } as const;
      const envelope = {
        ...source,
        stream: 'ws',
        key: 'slot',
        request: null,
        requestedAt: null,
        payload: Buffer.from(text),
      };
      const value = codec.encode(rawTopic('venue_a', 'ws'), envelope);
      await log.append([{ ...raw, key: 'slot', value, receivedAt: 7, seq: offset + 1 }]);
      const topic = rawChannelTopics.venue_a;
      let from = 0;
      const records = pieces.flatMap((piece) => {
        const start = text.indexOf(piece, from);
        from = start + piece.length;
        return channels.map((channel) => {
          const seq = (seqs.get(channel) ?? 0) + 1;
          seqs.set(channel, seq);
          const location = { ...raw, offset, start, length: piece.length };
          const frame = codec.encode(topic, { channel, seq, ...source, marketId: null, ...location });
          const partition = partitionOf(channel, topic.partitions);
          return { topic: topic.name, partition, key: channel, seq, receivedAt: 7, value: frame };
        });
      });
      await log.append(records);
      return offset;
    },
    async append(topic, key, value) {
      const partition = partitionOf(key, topic.partitions);
      await log.append([
        { topic: topic.name, partition, key, value: codec.encode(topic, value), receivedAt: Date.now(), seq: 0 },
      ]);
    },
    async rebuild() {
      for (const topic of Object.values(channelTopics)) await log.clearTopic(topic.name);
      await beginEpochs();
      seqs.clear();
    },
    stop,
    async close() {
      await stop();
      await replica.close();
      await log.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}
