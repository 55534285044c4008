import { Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { StatusBadge } from '../../components/values/badge';
import { Link, OutsideLink } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { DecisionForm } from './repairs/claim-form';
import { unitsInWords } from './repairs/units';
import type { OperatorOrder } from './types';

type Claim = OperatorOrder['claims'][number];

const t = texts.order.claim;

/** Units that were reported as lost, damaged or wrong. Nothing for an order without a claim. */
export function Claims({ order }: { readonly order: OperatorOrder }) {
  const [open, setOpen] = useState<Claim | null>(null);
  const { claims, items } = order;
  if (claims.length === 0) return null;
  const inWords = ({ reason, items: claimed }: Claim) => {
    const units = claimed.map(({ itemId, quantity }) => [
      items.find(({ id }) => id === itemId)!.itemReferenceId,
      quantity,
    ]);
    return `${t.reasons[reason]}: ${unitsInWords(items, Object.fromEntries(units))}`;
  };
  const mayDecide = order.possibleRepairs.some(({ action }) => action === 'claim');
  const columns: Column<Claim>[] = [
    {
      name: t.columns.claim,
      cell: (claim) => (
        <Stack gap={2}>
          <Text size="sm">{inWords(claim)}</Text>
          {claim.note === null ? null : <Text size="xs">{claim.note}</Text>}
          {claim.pictures.map((url, index) => (
            <OutsideLink key={url} to={url} text={t.picture(index + 1)} size="xs" />
          ))}
        </Stack>
      ),
    },
    { name: t.columns.by, cell: ({ madeBy }) => madeBy },
    { name: t.columns.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: t.columns.liable, cell: ({ liable }) => (liable === null ? texts.common.none : t.sides[liable]) },
    {
      name: t.columns.status,
      cell: (claim) =>
        claim.status === 'open' && mayDecide ? (
          <Button size="compact-xs" aria-label={t.decideOf(inWords(claim))} onClick={() => setOpen(claim)}>
            {t.decide}
          </Button>
        ) : (
          <Stack gap={2} align="flex-start">
            <StatusBadge status={claim.status} />
            {claim.replacementOrderId === null ? null : (
              <Link to="/orders/$orderId" params={{ orderId: claim.replacementOrderId }}>
                {t.replacement}
              </Link>
            )}
          </Stack>
        ),
    },
  ];
  return (
    <Section title={t.title}>
      <DataTable label={t.title} columns={columns} rows={claims} keyOf={({ id }) => id} />
      <Modal
        opened={open !== null}
        onClose={() => setOpen(null)}
        title={open === null ? '' : inWords(open)}
        withCloseButton={false}
        size="lg"
      >
        {open === null ? null : <DecisionForm order={order} claimId={open.id} onClose={() => setOpen(null)} />}
      </Modal>
    </Section>
  );
}
