import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import * as retry from '../runtime/retry.ts';
import * as turn from '../runtime/turn.ts';

it('gives the exports of each module fixed fields, which compiled code accesses directly', () => {
  setFlagsFromString('--allow-natives-syntax');
  const hasFixedFields = new Function('object', 'return %HasFastProperties(object)');
  for (const exports of [retry, turn]) expect(hasFixedFields(exports)).toBe(true);
});
