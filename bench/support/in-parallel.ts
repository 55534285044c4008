/** Runs `count` jobs, at most `atOnce` at a time. @returns the duration in seconds */
export async function inParallel(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<void>,
): Promise<number> {
  const began = process.hrtime.bigint();
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(atOnce, count) }, async () => {
      for (let index = next++; index < count; index = next++) await work(index);
    }),
  );
  return Number(process.hrtime.bigint() - began) / 1e9;
}
