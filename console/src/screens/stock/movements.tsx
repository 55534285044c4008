import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { type Answer, call } from '../../api/call';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';

type Movement = Answer<'listStockMovements'>['movements'][number];

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
function movementsOf(partnerId: string, partnerSku: string) {
  return infiniteQueryOptions({
    queryKey: ['listStockMovements', partnerId, partnerSku],
    queryFn: ({ signal, pageParam: before }) =>
      call(
        'listStockMovements',
        { params: { partnerId, partnerSku }, query: { limit: PAGE, ...(before === null ? {} : { before }) } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ movements }) => (movements.length < PAGE ? null : movements.at(-1)!.id),
  });
}

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
      <Loaded query={query} lines={3}>
        {({ pages }) => {
          const rows = pages.flatMap(({ movements }) => movements);
          if (rows.length === 0) return <Empty title={t.noMovement} text={t.noMovementText} />;
          return <DataTable label={t.movements(sku)} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
    </Section>
  );
}
