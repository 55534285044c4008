import { REPAIR_ACTIONS, repairSchema } from '../../../../../../src/orders/domain/lifecycle/rules/repairs';

test('every repair of the table can be requested', () => {
  const requested = repairSchema.options.flatMap(({ shape }) => [...shape.action._zod.values!]);
  expect(requested.sort()).toEqual([...REPAIR_ACTIONS].sort());
});
