/** So many at a time; the others wait in line. */
export class Turns {
  private readonly max: number;
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(max: number) {
    this.max = max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    // A place is handed on, not given back, so that nobody who comes now slips in before those in line.
    if (this.running < this.max) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
