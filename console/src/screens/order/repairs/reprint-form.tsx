import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../../api/changes';
import { read } from '../../../api/queries';
import type { ApiResponse } from '../../../api/types';
import { DialogForm } from '../../../components/forms/dialog-form';
import { textOf } from '../../../components/forms/form-values';
import { QueryContent } from '../../../components/layout/query-content';
import { Link } from '../../../components/values/link';
import * as texts from '../../../texts';
import { REPAIRS } from '../../../texts/order';
import { FileField } from '../files/file-field';
import type { OperatorOrder, RepairFormProps } from '../types';
import { AddressFields, addressOf } from './address-fields';
import { allUnits, chosenOf, Effect, UnitFields, unitsInWords } from './units';

type Retrieved = ApiResponse<'getOrder'>;

const t = texts.order.reprint;

const fieldOf = (itemReferenceId: string, type: string) => `file ${itemReferenceId} ${type}`;

/** Returns the files of an item that have another address than before. */
function otherFilesOf(form: FormData, { items }: Retrieved, itemReferenceId: string) {
  const item = items.find((each) => each.itemReferenceId === itemReferenceId);
  const files = (item?.files ?? []).flatMap(({ type, url }) => {
    const other = textOf(form, fieldOf(itemReferenceId, type));
    return other === null || other === url ? [] : [{ type, url: other }];
  });
  return files.length === 0 ? {} : { files };
}

/** The addresses of the files. One that failed can be replaced. */
function FileAddresses({ retrieved: { id, items } }: { readonly retrieved: Retrieved }) {
  return items.flatMap(({ itemReferenceId, files }) =>
    files.map(({ type, url }) => (
      <FileField
        key={fieldOf(itemReferenceId, type)}
        orderId={id}
        itemReferenceId={itemReferenceId}
        type={type}
        name={fieldOf(itemReferenceId, type)}
        label={t.file(type, itemReferenceId)}
        url={url}
      />
    )),
  );
}

/** Makes and ships items, or units of them, again as a new order, also to another address. */
export function ReprintForm({ order, onClose }: RepairFormProps) {
  const query = useQuery(read('getOrder', { params: { orderId: order.id } }));
  return (
    <QueryContent query={query}>
      {(retrieved) => <Form order={order} retrieved={retrieved} onClose={onClose} />}
    </QueryContent>
  );
}

function Form(props: { readonly order: OperatorOrder; readonly retrieved: Retrieved; readonly onClose: () => void }) {
  const { order, retrieved, onClose } = props;
  const { shippingAddress: address } = retrieved;
  const hasFailed = order.fulfillmentStatus === 'failed';
  const { items } = order;
  const [units, setUnits] = useState(() => allUnits(items));
  const [charge, setCharge] = useState(false);
  const [isElsewhere, setElsewhere] = useState(false);
  const [isRepeat, setRepeat] = useState(false);
  const chosen = chosenOf(items, units);
  const changeOf = ({ form, reason }: { readonly form: FormData; readonly reason: string }) => {
    if (chosen.length === 0) throw new Error(texts.order.units.none);
    const elsewhere = isElsewhere ? addressOf(form, address) : undefined;
    const named = chosen.map(({ item: { itemReferenceId }, quantity }) => ({
      itemReferenceId,
      quantity,
      ...otherFilesOf(form, retrieved, itemReferenceId),
    }));
    return change('reprintOrder', {
      params: { orderId: order.id },
      body: {
        items: named,
        charge,
        reason,
        confirmRepeat: isRepeat,
        ...(elsewhere === undefined ? {} : { shippingAddress: elsewhere }),
      },
    });
  };
  return (
    <DialogForm
      explanation={REPAIRS.reprint.explanation}
      button={REPAIRS.reprint.button}
      changeOf={changeOf}
      withReason
      fields={
        <>
          <UnitFields items={items} units={units} onChange={setUnits} />
          {hasFailed ? <FileAddresses retrieved={retrieved} /> : null}
          <Checkbox label={t.charge} checked={charge} onChange={(event) => setCharge(event.currentTarget.checked)} />
          <Checkbox
            label={t.elsewhere}
            checked={isElsewhere}
            onChange={(event) => setElsewhere(event.currentTarget.checked)}
          />
          {isElsewhere ? <AddressFields address={address} /> : null}
          {order.reprints.length === 0 ? null : (
            <Checkbox
              label={t.repeat(order.reprints.length)}
              checked={isRepeat}
              onChange={(event) => setRepeat(event.currentTarget.checked)}
            />
          )}
          <Effect>{t.effect(unitsInWords(items, units), charge)}</Effect>
        </>
      }
      result={({ id, orderReferenceId }) => (
        <Link to="/orders/$orderId" params={{ orderId: id }} onClick={onClose}>
          {t.made(orderReferenceId)}
        </Link>
      )}
      onClose={onClose}
    />
  );
}
