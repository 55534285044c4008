import { checkedRouting } from '../../routing/checked-routing';
import { simulatedOrder, simulatedPartners } from '../../routing/simulated-orders';
import { seededRandom } from '../../support/seeded-random';

test('no simulated order costs more than the best plan of one partner, or is refused by the choice of routing', () => {
  const random = seededRandom(11);
  const partners = simulatedPartners(8, random);
  const checked = Array.from({ length: 300 }, () => checkedRouting(simulatedOrder(random), partners));
  for (const { excessPercent, isRefusedByChoice, why } of checked) {
    expect(excessPercent ?? 0).toBeLessThanOrEqual(1);
    expect(isRefusedByChoice).toBe(false);
    expect(why).toMatch(/^[^\n]+\.$/);
  }
  // Orders that one partner makes, orders of several partners, and orders that no partner can make without retail prices.
  expect(checked.some(({ excessPercent }) => excessPercent === 0)).toBe(true);
  expect(checked.some(({ isSplit }) => isSplit)).toBe(true);
  expect(checked.some(({ why }) => why.startsWith('No partner is left'))).toBe(true);
});
