/** Longest text in a command, in characters. */
export const TEXT_MAX = 200;
