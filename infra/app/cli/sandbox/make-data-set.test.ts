import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataSetText, readDataSetText } from '#query-api/sandbox/data-set-file';
import { readInfoResponses } from '#query-api/sandbox/info-responses';
import { makeDataSet, makeSandboxResponses } from './make-data-set.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-sandbox-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the data set of sandbox keys', () => {
  it('has the responses about one account that the simulator generates now', async () => {
    expect(await readInfoResponses()).toEqual(await makeSandboxResponses());
  });

  it('equals what the simulator and the pipeline generate now; if not, run `npm run sandbox:make`', async () => {
    const shipped = (await readDataSetText()).split('\n');
    const generated = dataSetText(await makeDataSet(folder)).split('\n');
    // Compares the first difference only, since the text has megabytes.
    const at = generated.findIndex((line, index) => line !== shipped[index]);
    expect([at, generated[at]]).toEqual([-1, undefined]);
    expect(generated.length).toBe(shipped.length);
  }, 180_000);
});
