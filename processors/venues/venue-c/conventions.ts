import type { QuestionConventions } from '../../events/recognise/question.ts';
import { readTicker } from './recognise-ticker.ts';
import { tickerYear } from './ticker-year.ts';

/** How venue_c writes its questions: the id of a market is its ticker. */
export const venueCConventions: QuestionConventions = { readFields: readTicker, yearOfId: tickerYear };
