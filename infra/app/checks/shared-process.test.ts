import { describe, expect, it } from 'vitest';
import { testsSharingProcesses } from './shared-process.ts';

const shared = (files: Record<string, string>) =>
  testsSharingProcesses(Object.entries(files).map(([path, text]) => ({ path, text })));

describe('tests that share processes', () => {
  it('are those whose modules load no browser, however indirectly', () => {
    const files = {
      'query-api/plain.test.ts': "import { a } from './plain.ts';\nimport type { B } from './engine.ts';",
      'query-api/plain.ts': "import { b } from 'node:fs';",
      'query-api/engine.ts': "import { chromium } from 'playwright-core';",
      'query-api/between.ts': "export {\n  chromium,\n} from './engine.ts';",
      'query-api/static.test.ts': "import { chromium } from '#query-api/between';",
      'query-api/dynamic.test.ts': "const { chromium } = await import('./between.ts');",
      'query-api/effect.test.ts': "import './engine.ts';",
    };
    expect(shared(files)).toEqual(['query-api/plain.test.ts']);
  });

  it('neither mock modules nor start services, brokers or load generators', () => {
    const files = {
      'ingest/mocks.test.ts': "vi.mock('./other.ts');",
      'infra/app/checks/e2e/start.e2e.test.ts': "import { a } from './plain.ts';",
      'infra/log/embedded/locks.test.ts': '',
    };
    expect(shared(files)).toEqual([]);
  });

  it('load no module that sets up tests when it is loaded, which happens once in a process', () => {
    const files = {
      'ingest/one.test.ts': "import { log } from './log.fixture.ts';",
      'ingest/two.test.ts': 'beforeEach(() => {});',
      'ingest/log.fixture.ts': 'export let log: Log;\nbeforeEach(() => {\n  log = open();\n});',
    };
    expect(shared(files)).toEqual(['ingest/two.test.ts']);
  });

  it('are more than half of all', () => {
    expect(testsSharingProcesses().length).toBeGreaterThan(500);
  });
});
