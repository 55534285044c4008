import { setTimeout as sleep } from 'node:timers/promises';
import { createPresslineClient, PresslineError } from '../../client/pressline-client';
import type { SeededRandom } from '../support/seeded-random';
import type { DistributedStack } from './distributed-stack';

const DELIVERIES = [
  { partner: 'prints-berlin', sku: 'frame-wood-oak-30x40' },
  { partner: 'prints-ohio', sku: 'tee-navy-m' },
] as const;

/**
 * Adds stock as the partners, a few units at a time. Retries each adjustment with one Idempotency-Key until it is
 * done. Half of the adjustments have a referenceId too.
 * @param signal ends the adjustments
 * @param patience ends the wait for a response, with an error
 * @returns units that Pressline confirmed, by `partner sku`
 */
export async function runStockroom(
  stack: DistributedStack,
  random: SeededRandom,
  signal: AbortSignal,
  patience: AbortSignal,
): Promise<Map<string, number>> {
  const added = new Map<string, number>();
  await Promise.all(
    DELIVERIES.map(async ({ partner, sku }) => {
      const { apiKey } = stack.credentials.partners.find(({ name }) => name === partner)!;
      const clients = stack.apiUrls.map((baseUrl) =>
        createPresslineClient({ baseUrl, apiKey, retries: 0, timeoutMs: 10_000 }),
      );
      for (let note = 1; !signal.aborted; note += 1) {
        const quantity = 1 + random.below(5);
        const referenceId = `${sku} note ${note}`;
        const adjustment = { partnerSku: sku, adjustmentType: 'add' as const, quantity };
        const adjustments = [note % 2 === 0 ? adjustment : { ...adjustment, referenceId }];
        for (let attempt = 1; ; attempt += 1) {
          try {
            const { updates } = await random
              .pick(clients)
              .adjustStock({ body: { adjustments } }, { idempotencyKey: `${sku}-${note}` });
            // A refusal as a repetition of the first attempt means that the first attempt succeeded.
            if (!updates[0]!.success && attempt === 1) throw new Error(updates[0]!.message);
            break;
          } catch (error) {
            if (error instanceof PresslineError && error.status < 500 && error.status !== 409) throw error;
          }
          await sleep(random.between(200, 2_000), undefined, { signal: patience });
        }
        added.set(`${partner} ${sku}`, (added.get(`${partner} ${sku}`) ?? 0) + quantity);
        await sleep(random.between(500, 3_000));
      }
    }),
  );
  return added;
}
