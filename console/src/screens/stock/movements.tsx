import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';

type Movement = ApiResponse<'listStockMovements'>['movements'][number];

const t = texts.stock;
const PAGE = 50;

const COLUMNS: readonly Column<Movement>[] = [
  { name: t.movementColumns.at, cell: ({ at }) => <Time at={at} /> },
  { name: t.movementColumns.type, cell: ({ type }) => texts.names.code(type) },
  { name: t.movementColumns.quantity, numeric: true, cell: ({ quantity }) => quantity },
  { name: t.movementColumns.stock, numeric: true, cell: ({ quantityDelta }) => t.delta(quantityDelta) },
  { name: t.movementColumns.reserved, numeric: true, cell: ({ reservedDelta }) => t.delta(reservedDelta) },
  { name: t.movementColumns.backorder, numeric: true, cell: ({ backorderDelta }) => t.delta(backorderDelta) },
  { name: t.movementColumns.reference, cell: ({ reference }) => reference ?? texts.common.none },
];

/** Returns the query of an item's ledger. Its cursor is the id of the last movement. */
const movementsOf = (partnerId: string, partnerSku: string) =>
  readPages('listStockMovements', { params: { partnerId, partnerSku }, query: { limit: PAGE } }, ({ movements }) =>
    movements.length < PAGE ? null : { before: movements.at(-1)!.id },
  );

/** The ledger of one stock item, newest first. */
export function Movements({ partnerId, sku }: { readonly partnerId: string; readonly sku: string }) {
  const query = useInfiniteQuery(movementsOf(partnerId, sku));
  return (
    <Section
      title={t.movements(sku)}
      actions={
        <ExportCsv
          operation="listStockMovements"
          input={{ params: { partnerId, partnerSku: sku }, query: { format: 'csv' } }}
        />
      }
    >
      <PagedTable
        label={t.movements(sku)}
        query={query}
        lines={3}
        rowsOf={({ movements }) => movements}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.noMovement, text: t.noMovementText }}
      />
    </Section>
  );
}
