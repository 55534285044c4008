import { createTurns } from '../turns';

/** Returns a function that asks for a slot and notes the name of what got one. */
function noted(slots: number) {
  const turns = createTurns(slots);
  const running = new Map<string, () => void>();
  const order: string[] = [];
  return {
    order,
    ask: (client: string, name: string, signal?: AbortSignal) =>
      turns.take(client, signal).then((giveBack) => {
        order.push(name);
        running.set(name, giveBack);
      }),
    /** Gives the slot back, and waits until the next has it. */
    async end(name: string) {
      running.get(name)!();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('turns of clients', () => {
  test('give each waiting client one slot after the other clients', async () => {
    const { order, ask, end } = noted(2);
    const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    const asked = Promise.all(names.map((name) => ask(name[0]!, name)));
    await new Promise((resolve) => setImmediate(resolve));
    for (let at = 0; at < names.length; at += 1) await end(order[at]!);
    await asked;
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
  });

  test('leave slots to others, however many files of a client take long', async () => {
    const { order, ask } = noted(4);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name);
    await ask('b', 'b1');
    void ask('b', 'b2');
    await ask('c', 'c1');
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  test('pass over a request whose caller cancels, and what it held is free again', async () => {
    const { order, ask, end } = noted(2);
    await ask('a', 'a1');
    const controller = new AbortController();
    const cancelled = ask('a', 'a2', controller.signal);
    const last = ask('a', 'a3');
    controller.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    await expect(ask('b', 'b1', controller.signal)).rejects.toThrow('cancelled');
    await end('a1');
    await last;
    expect(order).toEqual(['a1', 'a3']);
  });
});
