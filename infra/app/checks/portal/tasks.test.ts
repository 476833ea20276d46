/** Does in Chromium what a person comes to the portal and the documents for. */
import { describePortal } from './browser.ts';
import { docsSuite } from './docs-suite.ts';
import { hostileSuite } from './hostile-suite.ts';
import { keyboardSuite } from './keyboard-suite.ts';
import { moneySuite } from './money-suite.ts';
import { organizationSuite } from './organization-suite.ts';

// The hostile texts stay as names of keys, so that they come last.
describePortal(
  {
    'the documents': docsSuite,
    'the portal by keyboard alone': keyboardSuite,
    'the pages of an organization': organizationSuite,
    'the money of wallets': moneySuite,
    'hostile texts': hostileSuite,
  },
  20,
);
