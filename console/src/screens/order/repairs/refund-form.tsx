import { useState } from 'react';
import { change } from '../../../api/changes';
import { DialogForm } from '../../../components/forms/dialog-form';
import * as texts from '../../../texts';
import { REPAIRS } from '../../../texts/order';
import type { OperatorOrder, RepairFormProps } from '../types';
import { chosenOf, Effect, Refunded, UnitFields, type Units, unitsInWords } from './units';

const t = texts.order;

/** Returns the units that partners have cancelled, by the item's reference. */
function cancelledUnits({ items, printOrders }: OperatorOrder): Units {
  const jobs = printOrders.flatMap((printOrder) => printOrder.jobs);
  const unitsOf = (itemId: string) =>
    jobs.reduce((sum, job) => sum + (job.itemId === itemId ? job.cancelledQuantity : 0), 0);
  return Object.fromEntries(items.map(({ id, itemReferenceId }) => [itemReferenceId, unitsOf(id)]));
}

/** Refunds the units that partners have cancelled, or units of an order that was delivered or returned. */
export function RefundForm({ order, repair, onClose }: RepairFormProps) {
  const items = order.items.filter(({ id }) => repair.itemIds.includes(id));
  const cancelled = cancelledUnits(order);
  const isOfCancelled = chosenOf(items, cancelled).length > 0;
  const [units, setUnits] = useState(cancelled);
  const chosen = chosenOf(items, units);
  const changeOf = ({ reason }: { readonly reason: string }) => {
    const named = isOfCancelled
      ? { itemIds: repair.itemIds }
      : { units: chosen.map(({ item: { id: itemId }, quantity }) => ({ itemId, quantity })) };
    return change('repairOrder', { params: { orderId: order.id }, body: { action: 'refund', ...named, reason } });
  };
  return (
    <DialogForm<unknown>
      explanation={isOfCancelled ? REPAIRS.refund.explanation : t.refund.explanation}
      button={REPAIRS.refund.button}
      changeOf={changeOf}
      withReason
      blocked={chosen.length === 0 ? t.units.none : null}
      fields={
        <>
          {isOfCancelled ? null : <UnitFields items={items} units={units} onChange={setUnits} />}
          <Effect>{t.refund.effect(unitsInWords(items, units))}</Effect>
          <Refunded order={order} units={units} />
        </>
      }
      onClose={onClose}
    />
  );
}
