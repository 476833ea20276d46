import { describe, expect, it } from 'vitest';
import { entry, never, page, setUpCatalog } from './catalog.fixture.ts';

describe('CatalogSync', () => {
  it('follows the cursor to the end and publishes every page with its request', async () => {
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

  it('stops at a cursor that returns itself', async () => {
    const { catalog, server } = await setUpCatalog(() => page(['m1'], 'again'));
    await catalog.refresh(never);
    expect(server.requests).toHaveLength(2);
  });

  it('drops and returns markets that the next pass no longer lists', async () => {
    let listed = ['m1', 'm2'];
    const { catalog, known, pass } = await setUpCatalog(() => page(listed));
    expect(await catalog.refresh(never)).toEqual([]);
    listed = ['m2'];
    pass(60_000);
    expect(await catalog.refresh(never)).toEqual(['m1']);
    expect(known()).toEqual(['m2']);
  });

  it('publishes nothing if only figures changed, and everything again after a week', async () => {
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

  it('looks up the few changed markets individually', async () => {
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
    const [, lookedUp, ...more] = raw('venue_b', 'gamma');
    expect(lookedUp).toMatchObject({ request: 'GET /markets?limit=100&closed=false&condition_ids=m2' });
    expect(JSON.parse(lookedUp!.payload.toString())).toEqual([{ ...entry('m2'), question: 'second' }]);
    expect(more).toEqual([]);
  });

  it('fetches the newest markets between the passes of a large catalog, and during a long pass', async () => {
    let tookMs = 0;
    const { catalog, known, pass, requests, server } = await setUpCatalog((path) => {
      if (!path.includes('keyset')) return { body: JSON.stringify([entry('new')]) };
      pass(tookMs);
      const at = Number(/after_cursor=(\d+)/.exec(path)?.[1] ?? 0);
      return page([`m${at}`], at < 99 ? String(at + 1) : undefined);
    });
    await catalog.refresh(never);
    expect(catalog.untilDueMs()).toBe(10_000);
    pass(10_000);
    await catalog.refresh(never);
    expect(known()).toHaveLength(101);
    const newest = 'GET /markets?limit=100&closed=false&order=startDate&ascending=false';
    expect((await requests()).at(-1)).toBe(newest);
    // A hundred pages: the next pass is due a hundred seconds after the start of the last.
    pass(89_000);
    await catalog.refresh(never);
    expect(catalog.untilDueMs()).toBe(1_000);
    pass(1_000);
    tookMs = 1_000;
    const before = server.requests.length;
    await catalog.refresh(never);
    expect(known()).toHaveLength(101);
    const paths = server.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => !path.includes('keyset')).length).toBeGreaterThan(8);
  });

  it('drops no market after an incomplete pass, and logs a warning', async () => {
    let pages = 2;
    const { catalog, known, pass, warned } = await setUpCatalog((path) => {
      const at = Number(/after_cursor=(\d+)/.exec(path)?.[1] ?? 0);
      return page([`m${at}`], at + 1 < pages ? String(at + 1) : undefined);
    }, 3);
    await catalog.refresh(never);
    expect(warned).toEqual([]);
    // New markets precede the known ones and push them beyond the end of the pass.
    pages = 5;
    pass(60_000);
    expect(await catalog.refresh(never)).toEqual([]);
    expect(warned).toEqual([{ pages: 3, listed: 3 }]);
    pages = 1;
    pass(60_000);
    expect(await catalog.refresh(never)).toEqual(['m1', 'm2']);
    expect(known()).toEqual(['m0']);
  });

  it('stores at most as many markets of incomplete passes as one pass can find', async () => {
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

  it('retains the known markets if a pass fails, and what it published stays published', async () => {
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
    // The broken answer is published too, so that the processors report it.
    expect(await requests()).toHaveLength(3);
  });
});
