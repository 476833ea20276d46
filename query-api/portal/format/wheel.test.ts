import { describe, expect, it } from 'vitest';
import { nextTurn, type WheelTurn } from './wheel.ts';

function turns(...all: readonly (readonly [at: number, isOverChart: boolean])[]): readonly boolean[] {
  let last: WheelTurn | null = null;
  return all.map(([at, isOverChart]) => {
    last = nextTurn(last, at, isOverChart);
    return last.isOfPage;
  });
}

describe('nextTurn', () => {
  it('leaves a movement to the page that began outside of a chart', () => {
    expect(turns([0, false], [200, true], [450, true], [700, true])).toEqual([true, true, true, true]);
  });

  it('gives a movement to the chart that began over it, also after the pointer has left it', () => {
    expect(turns([0, true], [100, true], [200, false])).toEqual([false, false, false]);
  });

  it('begins a new movement after a rest', () => {
    expect(turns([0, false], [300, true], [900, false])).toEqual([true, false, true]);
  });
});
