import { setImmediate as yieldToIo } from 'node:timers/promises';

/** Longest that a turn of the event loop may go on with appends alone. */
const TURN_MS = 10;

/**
 * Appends resolve without waiting for anything, so one that follows the other in a loop would never let timers and
 * sockets have their turn. This tells when appends have had their share of one.
 */
export class LoopShare {
  private began = 0;
  private turn: NodeJS.Immediate | null = null;

  /** Whether the turn of the event loop at hand has gone on for long enough. */
  isUsedUp(): boolean {
    const now = performance.now();
    if (!this.turn) {
      this.began = now;
      this.turn = setImmediate(() => {
        this.turn = null;
      });
    }
    return now - this.began > TURN_MS;
  }

  /** Resolves in the next turn. */
  async next(): Promise<void> {
    await yieldToIo();
  }
}
