import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/call';
import { read } from '../../api/queries';
import { type Column, DataTable } from '../../components/data-table';
import { EmptySection, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { texts } from '../../texts';

type Receipt = Answer<'getOrder'>['receipts'][number];
interface Line {
  readonly id: string;
  readonly title: string;
  readonly price: number;
  readonly vat: number;
  readonly priceInclVat: number;
}

const t = texts.order.receipts;

/** Returns the lines of a receipt, and its total as the last line. */
function linesOf({ items, total, totalVat, totalInclVat }: Receipt): Line[] {
  return [...items, { id: 'total', title: t.total, price: total, vat: totalVat, priceInclVat: totalInclVat }];
}

function columnsIn(currency: string): Column<Line>[] {
  const money = new Intl.NumberFormat('en', { style: 'currency', currency });
  return [
    { name: t.columns.line, cell: ({ title }) => title },
    { name: t.columns.price, numeric: true, cell: ({ price }) => money.format(price) },
    { name: t.columns.vat, numeric: true, cell: ({ vat }) => money.format(vat) },
    { name: t.columns.total, numeric: true, cell: ({ priceInclVat }) => money.format(priceInclVat) },
  ];
}

export function Receipts({ orderId }: { readonly orderId: string }) {
  const query = useQuery(read('getOrder', { params: { orderId } }));
  return (
    <Section title={t.title}>
      <Loaded query={query} lines={2}>
        {({ receipts }) =>
          receipts.length === 0 ? (
            <EmptySection title={t.empty} text={t.emptyText} />
          ) : (
            receipts.map((receipt) => (
              <Stack key={receipt.id} gap="xs">
                <Text size="sm" fw={500}>
                  {texts.names.code(receipt.transactionType)} {receipt.receiptNumber}
                </Text>
                <DataTable
                  label={receipt.receiptNumber}
                  columns={columnsIn(receipt.currency)}
                  rows={linesOf(receipt)}
                  keyOf={({ id }) => id}
                />
              </Stack>
            ))
          )
        }
      </Loaded>
    </Section>
  );
}
