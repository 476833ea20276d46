/**
 * Frames per second of the normalisers compared with parsing JSON. Simulated frames (books of 20 levels, trades, book
 * changes, mids, chain logs) go through the normalisers of both venues, from bytes to outputs. The baseline runs
 * `JSON.parse` on the same frames.
 *
 * Sources of error: frames of one shape, for which V8 has caches; shared state of two rounds, where every trade is a
 * duplicate that is dropped early; catalogs, which are a few large documents (both sides skip them, and the normalisers
 * process them before); unused outputs, whose calculation could be optimised away (outputs and parsed values are
 * counted).
 */
import { createVenueAStage } from '#processors/venues/venue-a/normalise/stage';
import { createVenueBStage } from '#processors/venues/venue-b/normalise/stage';
import { FRAME_TOPICS, type RawEnvelope, rawTopics } from '#schemas/topics/raw';
import type { Codec } from '../../../codec/codec.ts';
import type { LogRecord } from '../../../log/log.ts';
import type { Emit, Stage, StageRecord } from '../../../stages/stage.ts';
import { openSimulatedService } from '../../simulated-service.ts';
import type { Bench, BenchContext } from '../bench.ts';
import { alternate, rateResult, timed } from '../measure.ts';
import { readRawRecords } from '../raw-records.ts';

const RATE = 1_500;
const SECONDS = 6;
const ROUNDS = 7;
const WARMUPS = 2;

type RawRecord = StageRecord<RawEnvelope>;

export const normalise: Bench = {
  aims: { normalise: { ratioMin: 0.5 } },
  run: (context) => measureNormalise(context, { rate: RATE, seconds: SECONDS, rounds: ROUNDS, warmups: WARMUPS }),
};

/** Exported for tests, which use a smaller size. */
export async function measureNormalise(
  { folder, onProgress }: BenchContext,
  { rate, seconds, rounds, warmups }: { rate: number; seconds: number; rounds: number; warmups: number },
) {
  const service = await openSimulatedService({ folder, rate, seconds });
  try {
    const records = await readRawRecords(service.context.log);
    const decoded = records.map((record) => decodeRecord(record, service.context.codec));
    const answers = decoded.filter(({ topic }) => !FRAME_TOPICS.has(topic));
    const frames = decoded.filter(({ topic }) => FRAME_TOPICS.has(topic));
    const subject = () => {
      const normalisers = createNormalisers();
      normalisers.step(answers);
      return timed(() => {
        normalisers.step(frames);
        return frames.length;
      });
    };
    const rates = await alternate(subject, () => timed(() => parseAll(frames)), { rounds, warmups, onProgress });
    return [rateResult('normalise', 'frames/s', rates)];
  } finally {
    await service.close();
  }
}

/** Creates both normalisers with new state. Throws if a frame is rejected, since then nothing is normalised. */
function createNormalisers() {
  const stages = [
    createVenueAStage({ outcomeTakerFeeRate: '0.0007' }),
    createVenueBStage({ confirmations: 64 }),
  ] as unknown as Stage<unknown>[];
  const handlers = new Map<string, (record: RawRecord) => void>();
  let outputs = 0;
  const refuse = (reason: string, detail: string) => {
    throw new Error(`a simulated frame was rejected: ${reason}, ${detail}`);
  };
  const count = () => {
    outputs += 1;
  };
  const emit: Emit = Object.assign(count, { remove: count, deadLetter: refuse });
  for (const stage of stages) {
    const state = stage.initialState();
    for (const { topic, handle } of stage.inputs)
      handlers.set(topic.name, (record) => handle(state, record as StageRecord<never>, emit));
  }
  return {
    step(records: readonly RawRecord[]): void {
      const before = outputs;
      for (const record of records) handlers.get(record.topic)?.(record);
      if (records.length > 0 && outputs === before) throw new Error('the normalisers emitted nothing');
    },
  };
}

function parseAll(frames: readonly RawRecord[]): number {
  let parsed = 0;
  for (const { value } of frames) if (JSON.parse(value.payload.toString('utf8')) !== undefined) parsed += 1;
  return parsed;
}

function decodeRecord({ topic, partition, offset, key, receivedAt, value }: LogRecord, codec: Codec): RawRecord {
  return { topic, partition, offset, key, receivedAt, value: codec.decode(rawTopics.get(topic)!, value!) };
}
