import { TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { change } from '../../api/changes';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { DialogButton } from '../../components/forms/dialog-button';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import type { StockSearch } from './stock-search';

type Item = ApiResponse<'listStockItemsOfPartners'>['items'][number];

const t = texts.stock;
const { none } = texts.common;

const COLUMNS: readonly Column<Item>[] = [
  {
    name: t.levelColumns.sku,
    cell: ({ partnerId, partnerSku }) => (
      <Link to="/stock" search={{ partnerId, sku: partnerSku }}>
        {partnerSku}
      </Link>
    ),
  },
  { name: t.levelColumns.product, cell: ({ productName, productUid }) => productName ?? productUid },
  { name: t.levelColumns.partner, cell: ({ partnerUid }) => partnerUid },
  {
    name: t.levelColumns.alert,
    cell: ({ alertUid }) =>
      alertUid === null ? none : <Badge tone={t.alerts[alertUid].tone}>{t.alerts[alertUid].text}</Badge>,
  },
  { name: t.levelColumns.quantity, numeric: true, cell: ({ quantity }) => quantity },
  { name: t.levelColumns.reported, cell: ({ reported }) => (reported === null ? none : <Report {...reported} />) },
  { name: t.levelColumns.reserved, numeric: true, cell: ({ reserved }) => reserved },
  { name: t.levelColumns.backorder, numeric: true, cell: ({ backorder }) => backorder },
  {
    name: t.levelColumns.limits,
    numeric: true,
    cell: ({ minStock, maxStock }) => t.limits(minStock, maxStock),
  },
  { name: t.levelColumns.ordered, numeric: true, cell: ({ quantityOrdered }) => quantityOrdered },
  { name: t.levelColumns.supplier, cell: ({ supplierUid }) => supplierUid ?? none },
];

/** Where the button to correct a level stands, so that it is in view on a screen of 1360 pixels. */
const AFTER_REPORT = COLUMNS.findIndex(({ name }) => name === t.levelColumns.reported) + 1;

/** What the partner reports itself, and since when. */
function Report({ status, amount, at, differs }: NonNullable<Item['reported']>) {
  const text = amount === null ? t.reports[status] : String(amount);
  return (
    <>
      {differs ? <Badge tone="warning">{t.differs(text)}</Badge> : text} <Age at={at} />
    </>
  );
}

/** The button that corrects a level to what was counted. Nothing that is reserved is taken. */
function Correct({ of: { partnerId, partnerSku, quantity, reserved, backorder } }: { readonly of: Item }) {
  return (
    <DialogButton
      name={t.correct}
      label={t.correctOf(partnerSku)}
      explanation={t.correctExplanation(partnerSku, quantity, reserved, backorder)}
      button={t.correctButton}
      size="compact-xs"
      withReason
      fields={
        <TextInput name="counted" label={t.counted} type="number" min={reserved} required defaultValue={quantity} />
      }
      changeOf={({ form, reason }) => {
        const difference = Number(form.get('counted')) - quantity;
        if (difference === 0) throw new Error(t.sameLevel);
        return change('correctStock', {
          params: { partnerId, partnerSku },
          body: { adjustmentType: difference > 0 ? 'add' : 'consume', quantity: Math.abs(difference), reason },
        });
      }}
      result={({ message, previousQuantity, newQuantity }) => t.corrected(message, previousQuantity, newQuantity)}
    />
  );
}

/** The levels of all partners' stock items. A SKU leads to its movements. */
export function Levels({ search: { partnerId, sku, alert } }: { readonly search: StockSearch }) {
  const filters = { partnerId, partnerSku: sku, alert };
  const query = useInfiniteQuery(readPages('listStockItemsOfPartners', { query: { ...filters, limit: 25 } }));
  const mayCorrect = useMay('operator');
  const buttons: Column<Item> = { name: texts.common.actions, cell: (item) => <Correct of={item} /> };
  return (
    <Section
      title={t.levels}
      actions={<ExportCsv operation="listStockItemsOfPartners" input={{ query: { ...filters, format: 'csv' } }} />}
    >
      <PagedTable
        label={t.levels}
        query={query}
        rowsOf={({ items }) => items}
        columns={mayCorrect ? COLUMNS.toSpliced(AFTER_REPORT, 0, buttons) : COLUMNS}
        isDense
        keyOf={({ partnerId, partnerSku }) => `${partnerId} ${partnerSku}`}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Section>
  );
}
