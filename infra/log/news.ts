/** Lets the one who polls wait until there is something new. */
export class News {
  private wake: (() => void) | null = null;

  /** Ends the wait, if there is one. */
  tell(): void {
    this.wake?.();
  }

  /** Resolves when there is news, or after so long. */
  wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.wake = null;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.wake = done;
    });
  }
}
