import { expect, it } from 'vitest';
import {
  earlierOutcomeRequest,
  isEarlierOutcomeRequest,
  isMissedOutcomeRequest,
  missedOutcomeRequest,
  pendingOutcomeRequest,
} from './outcome-requests.ts';

const REQUESTS = [pendingOutcomeRequest(7), missedOutcomeRequest(7), earlierOutcomeRequest(7)];

it('all request the settlement of the outcome', () => {
  for (const request of REQUESTS) expect(JSON.parse(request)).toEqual({ type: 'settledOutcome', outcome: 7 });
});

it('state by their form why they were sent', () => {
  expect(REQUESTS.map(isMissedOutcomeRequest)).toEqual([false, true, false]);
  expect(REQUESTS.map(isEarlierOutcomeRequest)).toEqual([false, false, true]);
});
