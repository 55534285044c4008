import type { ResolvedProduct } from '../../catalog/domain/product';
import { uuidv7 } from '../../platform/ids';
import { type Fragment, json, type Queryable, type Statement } from '../../platform/postgres';
import { columnOf, type ItemFields, SUBMITTED_FIELDS } from '../domain/item-fields';
import type { SubmitOrder } from '../planning/order-schemas';

export interface OrderedItems {
  readonly id: string;
  readonly order: Pick<SubmitOrder, 'items' | 'packagingInstructions' | 'orderType'>;
  /** One for each item, in the same order. */
  readonly products: readonly ResolvedProduct[];
}

type SubmittedItem = SubmitOrder['items'][number];

const COLUMNS = [
  'order_id',
  'position',
  'retail_price',
  'fulfillment_status',
  'product',
  ...SUBMITTED_FIELDS.map(columnOf),
].join(', ');

export function itemRows({ id, order, products }: OrderedItems) {
  return order.items.map((item, position) => ({
    order_id: id,
    position,
    ...Object.fromEntries(SUBMITTED_FIELDS.map((field) => [columnOf(field), item[field] ?? null])),
    metadata: item.metadata ?? [],
    retail_price: item.retailPriceInclVat ?? null,
    fulfillment_status: order.orderType === 'draft' ? 'draft' : 'created',
    product: products[position],
  }));
}

/** Returns a stored item as it was submitted, without its files. */
export function submittedItem(item: ItemFields): Omit<SubmittedItem, 'files'> {
  const given = Object.fromEntries(SUBMITTED_FIELDS.map((field) => [field, item[field] ?? undefined]));
  return {
    ...(given as Omit<SubmittedItem, 'files' | 'retailPriceInclVat'>),
    retailPriceInclVat: item.retailPrice === null ? undefined : Number(item.retailPrice),
  };
}

/**
 * Returns the CTEs that insert the items of orders, `new_items (id, order_id, position, quantity)`, and their files.
 * @param isStored condition on `i.order_id`: only the items of these orders are inserted
 */
export function insertItems(sql: Queryable, orders: readonly OrderedItems[], isStored: Fragment): Fragment {
  return sql`
    new_items AS (
      INSERT INTO order_items (${sql.unsafe(COLUMNS)})
      SELECT ${sql.unsafe(COLUMNS)} FROM jsonb_populate_recordset(NULL::order_items, ${json(sql, orders.flatMap(itemRows))}) AS i
      WHERE ${isStored}
      RETURNING id, order_id, position, quantity
    ), new_files AS (
      INSERT INTO order_files (id, order_item_id, position, type, url, metadata)
      SELECT f.id, i.id, f.position, f.type, f.url, f.metadata
      FROM jsonb_to_recordset(${json(sql, orders.flatMap(fileRows))}) AS f (
        order_id uuid, id uuid, item int, position int, type text, url text, metadata jsonb)
      JOIN new_items i ON i.order_id = f.order_id AND i.position = f.item
    )`;
}

function fileRows({ id, order }: OrderedItems) {
  return order.items.flatMap((item, position) =>
    (item.files ?? []).map((file, index) => ({
      order_id: id,
      id: uuidv7(),
      item: position,
      position: index,
      type: file.type,
      url: file.url,
      metadata: file.metadata ?? [],
    })),
  );
}

/** Returns the statement that inserts the packing slips of orders. @param isStored condition on `s.order_id` */
export function insertPackingSlips(
  sql: Queryable,
  orders: readonly Pick<OrderedItems, 'id' | 'order'>[],
  isStored: Fragment,
): Statement {
  const rows = orders.flatMap(({ id, order }) =>
    (order.packagingInstructions ?? []).flatMap(({ packingSlip }, index) =>
      packingSlip === undefined ? [] : [{ id: uuidv7(), order_id: id, package_index: index, url: packingSlip.fileUrl }],
    ),
  );
  return sql`
    INSERT INTO packing_slips (id, order_id, package_index, url)
    SELECT s.id, s.order_id, s.package_index, s.url
    FROM jsonb_to_recordset(${json(sql, rows)}) AS s (id uuid, order_id uuid, package_index int, url text)
    WHERE ${isStored}`;
}
