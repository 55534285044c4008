import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { EmptyLine } from '../../components/layout/empty';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { moneyOf } from '../../components/values/money';
import * as texts from '../../texts';

type Receipt = ApiResponse<'getOrder'>['receipts'][number];
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
  const money = (amount: number) => moneyOf(amount, currency);
  return [
    { name: t.columns.line, cell: ({ title }) => title },
    { name: t.columns.price, numeric: true, cell: ({ price }) => money(price) },
    { name: t.columns.vat, numeric: true, cell: ({ vat }) => money(vat) },
    { name: t.columns.total, numeric: true, cell: ({ priceInclVat }) => money(priceInclVat) },
  ];
}

export function Receipts({ orderId }: { readonly orderId: string }) {
  const query = useQuery(read('getOrder', { params: { orderId } }));
  return (
    <Section title={t.title} folded={query.data?.financialStatus !== 'refused'}>
      <QueryContent query={query} lines={2}>
        {({ receipts }) =>
          receipts.length === 0 ? (
            <EmptyLine title={t.empty} text={t.emptyText} />
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
      </QueryContent>
    </Section>
  );
}
