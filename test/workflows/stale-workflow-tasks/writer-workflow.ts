import { condition, defineSignal, proxyLocalActivities, setHandler } from '@temporalio/workflow';

const { write } = proxyLocalActivities<{ write(words: readonly string[]): Promise<void> }>({
  startToCloseTimeout: '20 seconds',
});

export const wordSignal = defineSignal<[string]>('word');

/** Records the received signals in one local activity per batch, until the signal `end`. */
export async function writer(): Promise<string[]> {
  const received: string[] = [];
  const written: string[] = [];
  setHandler(wordSignal, (word) => {
    received.push(word);
  });
  while (!written.includes('end')) {
    await condition(() => received.length > 0);
    const words = received.splice(0);
    await write(words);
    written.push(...words);
  }
  return written;
}
