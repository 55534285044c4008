import { useState } from 'react';
import { change } from '../../../api/changes';
import { DialogForm } from '../../../components/forms/dialog-form';
import * as texts from '../../../texts';
import { REPAIRS } from '../../../texts/order';
import type { RepairFormProps } from '../types';
import { allUnits, chosenOf, Effect, Refunded, Told, UnitFields, unitsInWords } from './units';

/** Cancels items, or units of them. */
export function CancelForm({ order, repair, onClose }: RepairFormProps) {
  const items = order.items.filter(({ id }) => repair.itemIds.includes(id));
  const [units, setUnits] = useState(() => allUnits(items));
  const chosen = chosenOf(items, units);
  const params = { orderId: order.id };
  const changeOf = ({ reason }: { readonly reason: string }) => {
    if (chosen.every(({ isAll }) => isAll)) {
      const itemIds = chosen.map(({ item }) => item.id);
      return change('repairOrder', { params, body: { action: 'cancel', itemIds, reason } });
    }
    const named = chosen.map(({ item: { itemReferenceId }, quantity, isAll }) => ({
      itemReferenceId,
      ...(isAll ? {} : { quantity }),
    }));
    return change('cancelOrder', { params, body: { items: named, reason } });
  };
  return (
    <DialogForm<unknown>
      explanation={REPAIRS.cancel.explanation}
      button={REPAIRS.cancel.button}
      changeOf={changeOf}
      withReason
      destructive
      blocked={chosen.length === 0 ? texts.order.units.none : null}
      fields={
        <>
          <UnitFields items={items} units={units} onChange={setUnits} />
          <Effect>{texts.order.cancel.effect(unitsInWords(items, units))}</Effect>
          <Refunded order={order} units={units} />
          <Told order={order} action="cancel" itemIds={chosen.map(({ item }) => item.id)} />
        </>
      }
      onClose={onClose}
    />
  );
}
