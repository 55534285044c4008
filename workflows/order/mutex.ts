import { condition } from '@temporalio/workflow';

/** Lets one piece of work go on at a time; what waits looks again when it is its turn. */
export class Mutex {
  private underWay = false;

  get busy(): boolean {
    return this.underWay;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    // Of several whose wait ends together only the first goes on.
    while (this.underWay) await condition(() => !this.underWay);
    this.underWay = true;
    try {
      return await work();
    } finally {
      this.underWay = false;
    }
  }
}
