import { describe, expect, it, onTestFinished } from 'vitest';
import { LogError } from '#infra/log/log';
import { RECORD_BYTES_MAX } from '#infra/log/record-size';
import { deadLetterTopic } from '#schemas/topics/control';
import { nextTick } from '../clock/clock-marks.ts';
import { logFull, MemoryLog } from '../testing/memory-log.fixture.ts';
import { openTestPublisher, until } from '../testing/open-publisher.fixture.ts';

async function open(options: Parameters<typeof openTestPublisher>[0] = {}) {
  const test = await openTestPublisher(options);
  onTestFinished(() => test.publisher.close().catch(() => {}));
  return test;
}

const frame = (text: string, feed = 'venue_a.ws.0') => ({ source: 'venue_a.ws', feed, payload: text });
const START = 1_700_000_001_000;

describe('a live publisher', () => {
  it('stores an input unchanged, under its feed, numbered from 1', async () => {
    const { publisher, raw, log } = await open({ now: () => START });
    publisher.receive(frame('{"a":1.0}'));
    publisher.receive({
      source: 'venue_a.info',
      feed: 'venue_a.info',
      payload: Buffer.from([0xff, 0x00]),
      request: '{"type":"meta"}',
    });
    await publisher.flush();
    expect(raw('venue_a', 'ws')).toEqual([
      {
        provider: 'venue_a',
        stream: 'ws',
        key: 'venue_a.ws.0',
        receivedAt: START,
        request: null,
        requestedAt: null,
        payload: Buffer.from('{"a":1.0}'),
      },
    ]);
    expect(raw('venue_a', 'info')[0]).toMatchObject({ request: '{"type":"meta"}', payload: Buffer.from([0xff, 0x00]) });
    expect(log.of('raw.venue_a.ws')[0]).toMatchObject({ key: 'venue_a.ws.0', seq: 1, receivedAt: START });
  });

  it('collects inputs that arrive together in one append', async () => {
    const { publisher, log } = await open();
    for (let i = 0; i < 100; i += 1) publisher.receive(frame(`${i}`, `venue_a.ws.${i % 7}`));
    await publisher.flush();
    expect(log.batches).toHaveLength(1);
    expect(log.batches[0]).toHaveLength(100);
  });

  it('never stamps backwards, even if the clock of the machine goes back', async () => {
    let now = START;
    const { publisher, raw } = await open({ now: () => now });
    publisher.receive(frame('1'));
    now -= 10_000;
    publisher.receive(frame('2'));
    await publisher.flush();
    expect(raw('venue_a', 'ws').map((envelope) => envelope.receivedAt)).toEqual([START, START]);
  });

  it('continues the sequence numbers and the times that the log holds', async () => {
    const log = new MemoryLog();
    const first = await open({ log, now: () => START });
    first.publisher.receive(frame('1'));
    await first.publisher.close();
    const second = await open({ log, now: () => START - 60_000 });
    second.publisher.receive(frame('2'));
    await second.publisher.flush();
    const [, record] = log.of('raw.venue_a.ws');
    expect(record).toMatchObject({ seq: 2 });
    expect(record!.receivedAt).toBeGreaterThanOrEqual(START);
  });

  it('continues times, marks and watermarks when the clock is set back, and reports how far it is behind', async () => {
    let passed = 0;
    let setBack = 0;
    let behind = 0;
    const { publisher, log, raw, marks } = await open({
      now: () => START + passed - setBack,
      monotonicNow: () => passed,
      onClockBehind: (ms) => {
        behind = ms;
      },
    });
    publisher.receive(frame('1'));
    await publisher.flush();
    setBack = 600_000;
    passed = 10_000;
    await until(() => log.watermarks.get('raw.venue_a.ws/0')! >= START + 9_000);
    publisher.receive(frame('2'));
    await publisher.flush();
    const [, late] = raw('venue_a', 'ws');
    expect(late!.receivedAt).toBeGreaterThanOrEqual(START + 9_000);
    expect(late!.receivedAt).toBeLessThanOrEqual(START + 10_000);
    const tick = nextTick(START);
    expect(marks().map(({ receivedAt }) => receivedAt)).toEqual([tick, nextTick(tick)]);
    await until(() => behind > 598_000);
    expect(behind).toBeLessThanOrEqual(600_000);
    // It runs 10 percent slower, so it takes ten times as long to catch up.
    passed = 6_000_000;
    await until(() => behind === 0);
  });

  it('continues immediately in a log that was written with a clock a day ahead', async () => {
    const log = new MemoryLog();
    const first = await open({ log, now: () => START + 86_400_000 });
    first.publisher.receive(frame('1'));
    await first.publisher.close();
    let passed = 0;
    let behind = 0;
    const onClockBehind = (ms: number) => {
      behind = ms;
    };
    await open({ log, now: () => START + passed, monotonicNow: () => passed, onClockBehind });
    expect(behind).toBeGreaterThan(86_399_000);
    const watermark = () => log.watermarks.get('raw.venue_a.ws/0')!;
    for (passed = 1_000; passed <= 4_000; passed += 1_000)
      await until(() => watermark() >= START + 86_400_000 + passed * 0.9);
    passed = 10_000;
    await until(() => log.of('control.clock').length === 2);
  });

  it('advances the watermark of every partition past the time of a batch, also of quiet ones', async () => {
    const { publisher, log } = await open({ now: () => START });
    publisher.receive(frame('1'));
    await publisher.flush();
    const watermarks = new Set(log.watermarks.values());
    expect(log.watermarks.has('raw.venue_b.rpc/0')).toBe(true);
    expect(log.watermarks.has('control.clock/0')).toBe(true);
    expect([...watermarks]).toEqual([START + 1]);
  });

  it('never writes a record below a watermark', async () => {
    // The log in memory refuses a record below a watermark, so many small batches within a few milliseconds reveal it.
    const { publisher, log, failures } = await open();
    for (let round = 0; round < 200; round += 1) {
      publisher.receive(frame(`${round}`));
      if (round % 3 === 0)
        publisher.publishFeedEvent({ venue: 'venue_a', feed: 'venue_a.ws.0', kind: 'connected', reason: null });
      if (round % 2 === 0) await publisher.flush();
    }
    await publisher.flush();
    expect(failures).toEqual([]);
    expect(log.of('raw.venue_a.ws')).toHaveLength(200);
  });

  it('stamps a feed event with a time that no frame has', async () => {
    const { publisher, log } = await open({ now: () => START });
    publisher.receive(frame('before'));
    publisher.publishFeedEvent({ venue: 'venue_a', feed: 'venue_a.ws.0', kind: 'disconnected', reason: '1006' });
    publisher.receive(frame('after'));
    await publisher.flush();
    const [before, after] = log.of('raw.venue_a.ws');
    const [event] = log.of('raw.venue_a.feeds');
    expect(before!.receivedAt).toBeLessThan(event!.receivedAt);
    expect(event!.receivedAt).toBeLessThan(after!.receivedAt);
  });

  it('writes a clock mark every 5 s, and after a long sleep only hours and the newest tick', async () => {
    let now = Date.UTC(2026, 0, 1, 22, 59, 58);
    const { publisher, marks } = await open({ now: () => now });
    now += 12_000;
    publisher.receive(frame('1'));
    now += 3_600_000;
    publisher.receive(frame('2'));
    await publisher.flush();
    const hour = Date.UTC(2026, 0, 1, 23);
    expect(marks()).toEqual([
      { receivedAt: hour, tick: true, hour: true, day: false },
      { receivedAt: hour + 5_000, tick: true, hour: false, day: false },
      { receivedAt: hour + 10_000, tick: true, hour: false, day: false },
      { receivedAt: hour + 3_600_000, tick: false, hour: true, day: true },
      { receivedAt: hour + 3_610_000, tick: true, hour: false, day: false },
    ]);
  });

  it('writes clock marks while nothing is received', async () => {
    let now = START;
    const { log } = await open({ now: () => now });
    now += 5_000;
    await until(() => log.of('control.clock').length === 1);
    await until(() => log.watermarks.get('raw.venue_a.ws/0') === now);
  });

  it('signals backpressure when the queue is full, and releases it when the queue has drained', async () => {
    const { publisher, log } = await open({ now: () => START });
    const signals: boolean[] = [];
    publisher.onBackpressure((paused) => void signals.push(paused));
    for (let i = 0; i < 8_192; i += 1) publisher.receive(frame('x'));
    expect(publisher.paused).toBe(false);
    publisher.receive(frame('one more'));
    expect(publisher.paused).toBe(true);
    await publisher.whenReady();
    expect(signals).toEqual([true, false]);
    await publisher.flush();
    expect(log.of('raw.venue_a.ws')).toHaveLength(8_193);
  });

  it('signals backpressure when too many bytes are queued', async () => {
    const { publisher } = await open();
    const large = Buffer.alloc(7 * 1024 * 1024, 0x20);
    for (let count = 0; count < 5; count += 1) publisher.receive({ ...frame(''), payload: large });
    expect(publisher.paused).toBe(true);
  });

  it('stamps nothing below the watermark of an earlier writer on a machine whose clock was ahead', async () => {
    const { publisher, raw } = await open({ now: () => START, promisedUntil: START + 1_500 });
    publisher.receive(frame('1'));
    await publisher.flush();
    expect(raw('venue_a', 'ws')[0]).toMatchObject({ receivedAt: START + 1_500 });
  });

  it('stores an oversized record as a dead letter with its size and first bytes, and other records as usual', async () => {
    const { publisher, payloads, log, codec, metrics, failures } = await open({ now: () => START });
    publisher.receive(frame('before'));
    publisher.receive({ ...frame(''), payload: Buffer.alloc(RECORD_BYTES_MAX + 1, 'x') });
    publisher.receive({ ...frame(''), payload: Buffer.alloc(RECORD_BYTES_MAX + 2, 'y') });
    publisher.receive(frame('after'));
    await publisher.flush();
    expect(payloads('venue_a', 'ws')).toEqual(['before', 'after']);
    expect(log.of('raw.venue_a.ws').map(({ seq }) => seq)).toEqual([1, 2]);
    const deadLetters = log.of('dead.raw.venue_a.ws');
    expect(new Set(deadLetters.map(({ key }) => key)).size).toBe(2);
    expect(codec.decode(deadLetterTopic('raw.venue_a.ws'), deadLetters[0]!.value!)).toMatchObject({
      stage: 'ingest',
      topic: 'raw.venue_a.ws',
      key: 'venue_a.ws.0',
      offset: -1,
      reason: 'too_large',
      detail: expect.stringContaining(`${RECORD_BYTES_MAX + 1} bytes`),
      value: Buffer.alloc(64 * 1024, 'x'),
    });
    expect(await metrics.registry.metrics()).toContain(
      'parallax_dead_letters_total{topic="raw.venue_a.ws",reason="too_large"} 2',
    );
    expect(failures).toEqual([]);
  });

  it('continues when the log refuses a record for its size that passed its own check', async () => {
    const log = new MemoryLog();
    const append = log.append.bind(log);
    log.append = async (records) => {
      if (records.some(({ topic, value }) => topic.startsWith('raw.') && value!.length > 1_000))
        throw new LogError('log_too_large', 'an operator lowered the limit');
      await append(records);
    };
    const { publisher, payloads, failures } = await open({ log });
    publisher.receive(frame('before', 'venue_a.ws.0'));
    publisher.receive({ ...frame(''), source: 'venue_a.info', payload: 'x'.repeat(2_000) });
    publisher.receive(frame('after', 'venue_a.ws.0'));
    await publisher.flush();
    expect(payloads('venue_a', 'ws')).toEqual(['before', 'after']);
    expect(log.of('dead.raw.venue_a.info')).toHaveLength(1);
    expect(failures).toEqual([]);
  });

  it('reports a full log, loses nothing, and continues when there is room', async () => {
    const { publisher, log, logStatuses, payloads } = await open();
    log.fault = logFull();
    publisher.receive(frame('1'));
    await until(() => log.refused >= 2);
    expect(publisher.paused).toBe(true);
    publisher.receive(frame('2'));
    log.fault = null;
    await publisher.whenReady();
    await publisher.flush();
    expect(logStatuses).toEqual(['log_full', null]);
    expect(payloads('venue_a', 'ws')).toEqual(['1', '2']);
  });

  it('stops when the log fails permanently', async () => {
    const { publisher, log, failures } = await open();
    log.fault = new LogError('log_closed', 'closed');
    publisher.receive(frame('1'));
    await expect(publisher.flush()).rejects.toMatchObject({ code: 'log_closed' });
    await expect(publisher.whenReady()).rejects.toMatchObject({ code: 'log_closed' });
    expect(failures).toHaveLength(1);
    expect(publisher.paused).toBe(true);
  });

  it('fails to close when the log stays full', async () => {
    const { publisher, log } = await open();
    log.fault = logFull();
    publisher.receive(frame('1'));
    await expect(publisher.close()).rejects.toMatchObject({ code: 'log_full' });
  });

  it('counts appended records by source, from zero', async () => {
    const { publisher, metrics } = await open();
    const counts = async () =>
      Object.fromEntries((await metrics.ingested.get()).values.map(({ labels, value }) => [labels.source, value]));
    expect(await counts()).toMatchObject({ 'venue_a.ws': 0, 'venue_b.rpc': 0 });
    publisher.receive(frame('1'));
    publisher.receive({ source: 'venue_b.clob_ws', feed: 'venue_b.clob_ws.3', payload: 'PONG' });
    await publisher.flush();
    expect(await counts()).toMatchObject({ 'venue_a.ws': 1, 'venue_b.clob_ws': 1 });
  });

  it('rejects a source without a topic', async () => {
    const { publisher } = await open();
    expect(() => publisher.receive({ source: 'venue_a.rpc', feed: 'x', payload: '' })).toThrow('venue_a.rpc');
  });
});

describe('a publisher of recorded input', () => {
  const at = (receivedAt: number, text: string) => ({ ...frame(text), receivedAt });

  it('skips records that the log already holds', async () => {
    const log = new MemoryLog();
    const first = await open({ log, time: 'recorded' });
    first.publisher.receive(at(1_000, 'a'));
    first.publisher.receive(at(2_000, 'b'));
    await first.publisher.close();
    const second = await open({ log, time: 'recorded' });
    for (const [time, text] of [
      [1_000, 'a'],
      [2_000, 'b'],
      [2_000, 'c'],
    ] as const)
      second.publisher.receive(at(time, text));
    await second.publisher.flush();
    expect(second.payloads('venue_a', 'ws')).toEqual(['a', 'b', 'c']);
  });

  it('refuses a recording that differs from the one in the log', async () => {
    const log = new MemoryLog();
    const first = await open({ log, time: 'recorded' });
    first.publisher.receive(at(1_000, 'a'));
    await first.publisher.close();
    const second = await open({ log, time: 'recorded' });
    expect(() => second.publisher.receive(at(1_001, 'a'))).toThrow(
      expect.objectContaining({ code: 'recording_differs' }),
    );
  });

  it('advances the watermark to the current line only, until advanceTo is called', async () => {
    const { publisher, log } = await open({ time: 'recorded' });
    publisher.receive(at(1_000, 'a'));
    await publisher.flush();
    expect(log.watermarks.get('raw.venue_a.ws/0')).toBe(1_000);
    publisher.advanceTo(7_000);
    await until(() => log.watermarks.get('raw.venue_a.ws/0') === 7_000);
    expect(() => publisher.receive(at(6_999, 'b'))).toThrow('7000');
  });
});
