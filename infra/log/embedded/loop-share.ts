import { setImmediate as yieldToIo } from 'node:timers/promises';

/** Maximum duration of appends in one turn of the event loop. */
const TURN_MS = 10;

/**
 * Decides when an append must yield: appends resolve without waiting for anything, so a loop of them would starve timers
 * and sockets.
 */
export class LoopShare {
  private began = 0;
  private turn: NodeJS.Immediate | null = null;

  /** True if the current turn of the event loop has lasted too long. */
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
