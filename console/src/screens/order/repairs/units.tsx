import { Button, Fieldset, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useConnection } from '../../../api/connection';
import { moneyOf } from '../../../components/values/money';
import * as texts from '../../../texts';
import type { OperatorOrder, PossibleRepair } from '../types';

type Item = OperatorOrder['items'][number];

/** Units of items, by the item's reference. */
export type Units = Readonly<Record<string, number>>;

const t = texts.order.units;

/** Returns how an item is called: its product, with the client’s reference. */
export const nameOf = ({ productName, itemReferenceId }: Item): string =>
  productName === null ? itemReferenceId : t.product(productName, itemReferenceId);

/** Returns all units of items. */
export const allUnits = (items: readonly Item[]): Units =>
  Object.fromEntries(items.map(({ itemReferenceId, quantity }) => [itemReferenceId, quantity]));

/** Returns the items with chosen units, and how many. */
export const chosenOf = (items: readonly Item[], units: Units) =>
  items.flatMap((item) => {
    const quantity = units[item.itemReferenceId] ?? 0;
    return quantity === 0 ? [] : [{ item, quantity, isAll: quantity === item.quantity }];
  });

/** Returns chosen units in words, such as `1 of 3 × mug, 2 × poster`. */
export const unitsInWords = (items: readonly Item[], units: Units): string =>
  chosenOf(items, units)
    .map(({ item, quantity, isAll }) =>
      isAll ? t.all(quantity, nameOf(item)) : t.some(quantity, item.quantity, nameOf(item)),
    )
    .join(', ');

/** A field for the units of each item, from none to all of them. */
export function UnitFields(props: {
  readonly items: readonly Item[];
  readonly units: Units;
  readonly onChange: (units: Units) => void;
}) {
  const { items, units, onChange } = props;
  return (
    <Fieldset legend={t.legend}>
      <Group gap="sm">
        {items.map(({ itemReferenceId, quantity, ...item }) => (
          <TextInput
            key={itemReferenceId}
            type="number"
            w={220}
            label={nameOf({ itemReferenceId, quantity, ...item })}
            description={t.of(quantity)}
            min={0}
            max={quantity}
            value={units[itemReferenceId] ?? 0}
            onChange={(event) => onChange({ ...units, [itemReferenceId]: Number(event.currentTarget.value) })}
          />
        ))}
      </Group>
    </Fieldset>
  );
}

/** What a change will do, in numbers. */
export function Effect({ children }: { readonly children: string }) {
  return (
    <Text size="sm" fw={500} role="status">
      {children}
    </Text>
  );
}

/** A button that shows what the form around it would do. */
export function Trial(props: { readonly button: string; readonly children: (form: FormData) => ReactNode }) {
  const { button, children } = props;
  const [tried, setTried] = useState<FormData>();
  return (
    <Group>
      <Button
        size="xs"
        variant="default"
        onClick={(event) => setTried(new FormData(event.currentTarget.form ?? undefined))}
      >
        {button}
      </Button>
      {tried === undefined ? null : children(tried)}
    </Group>
  );
}

/** What the partners of items are told about a repair. Nothing when no partner has them. */
export function Told(props: {
  readonly order: OperatorOrder;
  readonly action: PossibleRepair['action'];
  readonly itemIds: readonly string[];
}) {
  const { order, action, itemIds } = props;
  const having = order.printOrders.filter(({ status, jobs }) => {
    const isOf = jobs.some(
      ({ itemId, status: job }) => itemIds.includes(itemId) && ['passed', 'in_production', 'printed'].includes(job),
    );
    return status === 'accepted' && (isOf || (itemIds.length === 0 && jobs.length > 0));
  });
  const told = texts.order.told[action];
  if (told === undefined || having.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {told([...new Set(having.map(({ partnerUid }) => partnerUid))].join(', '))}
    </Text>
  );
}

/** What the client gets back for units: price, tax and shipping. */
export function Refunded({ order, units }: { readonly order: OperatorOrder; readonly units: Units }) {
  const items = chosenOf(order.items, units).map(({ item: { itemReferenceId }, quantity }) => ({
    itemReferenceId,
    quantity,
  }));
  const { call } = useConnection();
  const { data } = useQuery({
    queryKey: ['previewRefund', order.id, items],
    queryFn: () => call('previewRefund', { params: { orderId: order.id }, body: { items } }),
    enabled: items.length > 0,
    refetchInterval: false,
    gcTime: 0,
  });
  if (data === undefined || items.length === 0) return null;
  const money = (amount: number) => moneyOf(amount, data.currency);
  const { total, vat, shipping } = data;
  return <Effect>{texts.order.amount(money(total), money(vat), shipping === 0 ? null : money(shipping))}</Effect>;
}
