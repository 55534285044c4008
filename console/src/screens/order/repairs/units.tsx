import { Fieldset, Group, Text, TextInput } from '@mantine/core';
import { texts } from '../../../texts';
import type { OperatorOrder } from '../types';

type Item = OperatorOrder['items'][number];

/** Units of items, by the item's reference. */
export type Units = Readonly<Record<string, number>>;

const t = texts.order.units;

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
      isAll ? t.all(quantity, item.itemReferenceId) : t.some(quantity, item.quantity, item.itemReferenceId),
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
        {items.map(({ itemReferenceId, quantity }) => (
          <TextInput
            key={itemReferenceId}
            type="number"
            w={150}
            label={itemReferenceId}
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
