import { expect, it } from 'vitest';
import { type BookTimesView, bookTimeOf, createBookTimesView } from './book-times.ts';

let shownAt: number | null = null;
const bookTimesView = createBookTimesView(() => shownAt);
const [input] = bookTimesView.inputs;
const frame = (view: BookTimesView, key: string, receivedAt: number) =>
  input!.handle(view, { key, receivedAt } as never, undefined as never);

it('bookTimeOf returns the last frame at or before a time, of the last frames of the instrument', () => {
  const view = bookTimesView.initialState();
  for (const at of [10, 20, 20, 30]) frame(view, 'a', at);
  frame(view, 'b', 25);
  expect([5, 10, 19, 20, 29, 1_000].map((until) => bookTimeOf(view, 'a', until))).toEqual([null, 10, 10, 20, 20, 30]);
  expect(bookTimeOf(view, 'b', 24)).toBeNull();
  expect(bookTimeOf(view, 'c', 1_000)).toBeNull();
});

it('stores the frames of the time by which the figures may lag, and the last one before it', () => {
  const view = bookTimesView.initialState();
  for (let at = 100; at <= 20_000; at += 100) frame(view, 'busy', at);
  expect([14_999, 15_000, 15_099, 15_100, 19_999].map((until) => bookTimeOf(view, 'busy', until))).toEqual([
    null,
    15_000,
    15_000,
    15_100,
    19_900,
  ]);
  for (const at of [1_000, 50_000]) frame(view, 'quiet', at);
  expect([999, 49_999, 50_000].map((until) => bookTimeOf(view, 'quiet', until))).toEqual([null, 1_000, 50_000]);
  for (let at = 30_001; at < 40_000; at += 1) frame(view, 'busy', at);
  expect(view.newer.get('busy')).toHaveLength(4_096);
});

it('stores the frames since the position of figures that are shown however far they lag', () => {
  const view = bookTimesView.initialState();
  shownAt = 1_050;
  for (let at = 100; at <= 200_000; at += 100) frame(view, 'busy', at);
  expect([999, 1_050, 1_100, 60_000].map((until) => bookTimeOf(view, 'busy', until))).toEqual([
    null,
    1_000,
    1_100,
    60_000,
  ]);
  shownAt = null;
  frame(view, 'busy', 200_100);
  expect(bookTimeOf(view, 'busy', 195_099)).toBeNull();
  expect(bookTimeOf(view, 'busy', 195_100)).toBe(195_100);
});

it('stores the instruments of the last frames when there are too many', () => {
  const view = bookTimesView.initialState();
  frame(view, 'busy', 1);
  frame(view, 'quiet', 1);
  for (let at = 0; at < 50_000; at += 1) frame(view, `x${at}`, 2);
  expect([bookTimeOf(view, 'busy', 9), bookTimeOf(view, 'quiet', 9)]).toEqual([1, 1]);
  frame(view, 'busy', 3);
  for (let at = 0; at < 50_000; at += 1) frame(view, `y${at}`, 4);
  expect([bookTimeOf(view, 'busy', 2), bookTimeOf(view, 'busy', 9), bookTimeOf(view, 'quiet', 9)]).toEqual([
    1,
    3,
    null,
  ]);
});
