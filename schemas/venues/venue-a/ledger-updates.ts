/** Requests for the ledger updates of an account (venue page, section 3.3). */

export const LEDGER_UPDATES = 'userNonFundingLedgerUpdates';
/** Updates of one response. A response with fewer is complete. */
export const LEDGER_UPDATES_OF_PAGE = 500;

/** @param startTime unix ms, inclusive. */
export const ledgerUpdatesRequest = (user: string, startTime: number) => ({ type: LEDGER_UPDATES, user, startTime });
