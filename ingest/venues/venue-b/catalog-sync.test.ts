import { describe, expect, it } from 'vitest';
import { entry, never, page, setUpCatalog } from './catalog.fixture.ts';

describe('CatalogSync', () => {
  it('follows the cursor to the end and publishes every page under its question', async () => {
    const { catalog, known, requests } = await setUpCatalog((path) =>
      path.includes('after_cursor=a%3D%3D') ? page(['m3']) : page(['m1', 'm2'], 'a=='),
    );
    await catalog.refresh(never);
    expect(known()).toEqual(['m1', 'm2', 'm3']);
    expect(await requests()).toEqual([
      'GET /markets/keyset?limit=100&closed=false',
      'GET /markets/keyset?limit=100&closed=false&after_cursor=a%3D%3D',
    ]);
  });

  it('ends at a cursor that leads to itself', async () => {
    const { catalog, server } = await setUpCatalog(() => page(['m1'], 'again'));
    await catalog.refresh(never);
    expect(server.asked).toHaveLength(2);
  });

  it('forgets in the next pass what is listed no more, and says so', async () => {
    let listed = ['m1', 'm2'];
    const { catalog, known, pass } = await setUpCatalog(() => page(listed));
    expect(await catalog.refresh(never)).toEqual([]);
    listed = ['m2'];
    pass(60_000);
    expect(await catalog.refresh(never)).toEqual(['m1']);
    expect(known()).toEqual(['m2']);
  });

  it('publishes nothing of a pass in which only figures moved, and all of it again after a week', async () => {
    let volume = 1;
    const { catalog, pass, requests } = await setUpCatalog(() => ({
      body: JSON.stringify({ markets: [{ ...entry('m1'), volume24hr: volume, updatedAt: String(volume) }] }),
    }));
    await catalog.refresh(never);
    for (volume = 2; volume < 10; volume += 1) {
      pass(60_000);
      await catalog.refresh(never);
    }
    expect(await requests()).toHaveLength(1);
    pass(7 * 86_400_000);
    await catalog.refresh(never);
    expect(await requests()).toHaveLength(2);
  });

  it('looks up alone the few markets that changed', async () => {
    let question = 'first';
    const list = () => [entry('m1'), { ...entry('m2'), question }, entry('m3'), entry('m4')];
    const { catalog, pass, raw, publisher } = await setUpCatalog((path) =>
      path.includes('keyset')
        ? { body: JSON.stringify({ markets: list() }) }
        : { body: JSON.stringify(list().filter(({ conditionId }) => path.includes(`condition_ids=${conditionId}`))) },
    );
    await catalog.refresh(never);
    question = 'second';
    for (let passes = 0; passes < 3; passes += 1) {
      pass(60_000);
      await catalog.refresh(never);
    }
    await publisher.flush();
    const [, looked, ...more] = raw('venue_b', 'gamma');
    expect(looked).toMatchObject({ request: 'GET /markets?limit=100&closed=false&condition_ids=m2' });
    expect(JSON.parse(looked!.payload.toString())).toEqual([{ ...entry('m2'), question: 'second' }]);
    expect(more).toEqual([]);
  });

  it('asks for the newest markets between the passes of a large catalog, and during a long one', async () => {
    let tookMs = 0;
    const { catalog, known, pass, requests, server } = await setUpCatalog((path) => {
      if (!path.includes('keyset')) return { body: JSON.stringify([entry('new')]) };
      pass(tookMs);
      const at = Number(/after_cursor=(\d+)/.exec(path)?.[1] ?? 0);
      return page([`m${at}`], at < 99 ? String(at + 1) : undefined);
    });
    await catalog.refresh(never);
    expect(catalog.restMs()).toBe(10_000);
    pass(10_000);
    await catalog.refresh(never);
    expect(known()).toHaveLength(101);
    const newest = 'GET /markets?limit=100&closed=false&order=startDate&ascending=false';
    expect((await requests()).at(-1)).toBe(newest);
    // A hundred pages: the next pass is due a hundred seconds after the last began.
    pass(89_000);
    await catalog.refresh(never);
    expect(catalog.restMs()).toBe(1_000);
    pass(1_000);
    tookMs = 1_000;
    const before = server.asked.length;
    await catalog.refresh(never);
    expect(known()).toHaveLength(101);
    const asked = server.asked.slice(before).map(({ path }) => path);
    expect(asked.filter((path) => !path.includes('keyset')).length).toBeGreaterThan(8);
  });

  it('takes nothing for gone because of a pass that was cut off, and says that it was', async () => {
    let pages = 2;
    const { catalog, known, pass, warned } = await setUpCatalog((path) => {
      const at = Number(/after_cursor=(\d+)/.exec(path)?.[1] ?? 0);
      return page([`m${at}`], at + 1 < pages ? String(at + 1) : undefined);
    }, 3);
    await catalog.refresh(never);
    expect(warned).toEqual([]);
    // Markets that are listed before those that were known push them beyond the end of the pass.
    pages = 5;
    pass(60_000);
    expect(await catalog.refresh(never)).toEqual([]);
    expect(warned).toEqual([{ pages: 3, listed: 3 }]);
    pages = 1;
    pass(60_000);
    expect(await catalog.refresh(never)).toEqual(['m1', 'm2']);
    expect(known()).toEqual(['m0']);
  });

  it('keeps no more of cut passes than one can find', async () => {
    let begin = 0;
    const { catalog, known, pass } = await setUpCatalog(
      () =>
        page(
          Array.from({ length: 100 }, (_, at) => `m${begin + at}`),
          'again',
        ),
      2,
    );
    for (begin = 0; begin < 500; begin += 100) {
      await catalog.refresh(never);
      pass(60_000);
    }
    expect(known()).toHaveLength(200);
    expect(known().at(-1)).toBe('m499');
  });

  it('keeps what it knows when a pass breaks off, and what came of it stays published', async () => {
    let broken = false;
    const { catalog, known, pass, requests } = await setUpCatalog((path) => {
      if (!path.includes('after_cursor')) return page(['m1'], 'two');
      return broken ? { body: '{"markets":' } : page(['m2']);
    });
    await catalog.refresh(never);
    broken = true;
    pass(60_000);
    await expect(catalog.refresh(never)).rejects.toMatchObject({ code: 'upstream_malformed' });
    expect(known()).toEqual(['m1', 'm2']);
    // The broken answer is published too: what is wrong with it is for the processors to say.
    expect(await requests()).toHaveLength(3);
  });
});
