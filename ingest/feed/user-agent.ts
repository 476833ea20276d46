/** Sent with every request: venue_a answers 429 to a request without one (venue page, section 1). */
export const USER_AGENT = 'parallax/0.1';
