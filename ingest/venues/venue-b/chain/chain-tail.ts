/** Reads the end of `raw.venue_b.rpc`: the published chain from which a restart continues. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog, LogRecord } from '#infra/log/log';
import { readUntil } from '#infra/log/read-until';
import type { ChainPayload } from '#schemas/domain/recording';
import { rawTopic } from '#schemas/topics/raw';
import { PublishedChain } from './published-chain.ts';

/** Records of the first attempt; doubled until a header is among them. */
const TAIL_RECORDS = 8_192;

export interface ChainTail {
  readonly chain: PublishedChain;
  /** Published log indexes of the newest block, which can be incomplete after a crash. */
  readonly lastLogs: ReadonlySet<number>;
  /** The last published finalized block; 0 if none. */
  readonly finalized: number;
}

/** Reads the tail of `raw.venue_b.rpc`. An empty topic yields an empty chain. */
export async function readChainTail(log: EventLog, codec: Codec, blocksMax: number): Promise<ChainTail> {
  const topic = rawTopic('venue_b', 'rpc');
  const at = { topic: topic.name, partition: 0 };
  const newest = await log.last(at);
  const { first } = await log.bounds(at);
  for (let records = TAIL_RECORDS; ; records *= 2) {
    const from = Math.max(first, (newest?.offset ?? 0) - records + 1);
    const payloads = newest ? await readPayloads(log, codec, from, newest.offset) : [];
    const tail = replayPayloads(payloads, blocksMax);
    if (tail.chain.last || from === first || !newest) return tail;
  }
}

/** Rebuilds the chain from payloads in published order. */
function replayPayloads(payloads: Iterable<ChainPayload>, blocksMax: number): ChainTail {
  const chain = new PublishedChain(blocksMax);
  let lastLogs = new Set<number>();
  let finalized = 0;
  for (const payload of payloads) {
    if ('block' in payload) {
      const block = { number: Number(payload.block.number), hash: payload.block.hash };
      if (block.hash !== chain.last?.hash) lastLogs = new Set();
      chain.add(block);
    } else if ('log' in payload) {
      if (payload.log.blockHash === chain.last?.hash) lastLogs.add(Number(payload.log.logIndex));
    } else if ('finalized' in payload) finalized = Math.max(finalized, Number(payload.finalized));
  }
  return { chain, lastLogs, finalized };
}

async function readPayloads(log: EventLog, codec: Codec, from: number, until: number): Promise<ChainPayload[]> {
  const topic = rawTopic('venue_b', 'rpc');
  const payloads: ChainPayload[] = [];
  for await (const records of readUntil(log, { topic: topic.name, partition: 0 }, { from, last: until })) {
    for (const record of records) {
      const payload = await readPayload(codec, record);
      if (payload) payloads.push(payload);
    }
  }
  return payloads;
}

async function readPayload(codec: Codec, record: LogRecord): Promise<ChainPayload | null> {
  if (!record.value) return null;
  // Written by ingest, perhaps with an older schema.
  await codec.fetchSchema(record.value);
  const envelope = codec.decode(rawTopic('venue_b', 'rpc'), record.value);
  return JSON.parse(envelope.payload.toString()) as ChainPayload;
}
