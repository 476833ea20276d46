/** Looks at the pages of the portal in Chromium: their figures, their states, and what they say. */
import { describePortal } from './browser.ts';
import { eventSuite } from './event-suite.ts';
import { liveSuite } from './live-suite.ts';
import { marketChartsSuite } from './market-charts-suite.ts';
import { marketStatesSuite } from './market-states-suite.ts';
import { marketSuite } from './market-suite.ts';
import { marketsSuite } from './markets-suite.ts';
import { pagesSuite } from './pages-suite.ts';
import { recordedSuite } from './recorded-suite.ts';
import { statesSuite } from './states-suite.ts';

describePortal(
  {
    'live figures': liveSuite,
    'the pages': pagesSuite,
    'the states of pages': statesSuite,
    'the markets': marketsSuite,
    'the page of a market': (portal) => {
      marketSuite(portal);
      marketChartsSuite(portal);
      marketStatesSuite(portal);
    },
    'the page of an event': eventSuite,
    'figures of a recording': recordedSuite,
  },
  60,
);
