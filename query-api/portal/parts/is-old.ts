import { createContext } from 'preact';

/** True where what is shown is out of date: tables mark their cells then. */
export const IsOld = createContext(false);
