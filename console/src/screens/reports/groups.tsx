import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { ClientLink, PartnerLink } from '../../components/accounts/account-links';
import { useClientOptions, usePartnerOptions } from '../../components/accounts/account-options';
import { Link } from '../../components/values/link';
import * as texts from '../../texts';

export type Dimension = keyof typeof texts.reports.dimensions;

/** How a report names its groups: in words, and as what a row of the table shows. */
interface Groups {
  readonly nameOf: (key: string) => string;
  readonly cellOf: (key: string) => ReactNode;
}

type Model = ApiResponse<'listProductModels'>['productModels'][number];

/** Returns the model of a product: the one whose template of product uids begins as the uid does. */
function modelOf(uid: string, models: readonly Model[]): Model | undefined {
  const startOf = ({ productUidTemplate }: Model) => productUidTemplate.split('{')[0]!;
  return models
    .filter((model) => uid.startsWith(startOf(model)))
    .sort((a, b) => startOf(b).length - startOf(a).length)[0];
}

/** Returns how the groups of a report are named. */
export function useGroups(by: Dimension): Groups {
  const clients = useClientOptions();
  const partners = usePartnerOptions();
  const { data } = useQuery({ ...read('listProductModels', {}), refetchInterval: false });
  const models = data?.productModels ?? [];
  const accountOf = (id: string) => [...clients, ...partners].find(({ value }) => value === id)?.label ?? id;
  const asText = (nameOf: (key: string) => string): Groups => ({ nameOf, cellOf: nameOf });
  return {
    day: asText((day) => day),
    client: { nameOf: accountOf, cellOf: (id: string) => <ClientLink id={id} name={accountOf(id)} /> },
    country: asText((country) => country),
    partner: { nameOf: accountOf, cellOf: (id: string) => <PartnerLink id={id} uid={accountOf(id)} /> },
    carrier: asText(texts.names.code),
    product: {
      nameOf: (uid: string) => modelOf(uid, models)?.name ?? uid,
      cellOf: (uid: string) => <Product uid={uid} model={modelOf(uid, models)} />,
    },
  }[by];
}

function Product({ uid, model }: { readonly uid: string; readonly model: Model | undefined }) {
  if (model === undefined) return uid;
  return (
    <Stack gap={0}>
      <Link to="/catalog" search={{ model: model.id }}>
        {model.name}
      </Link>
      <Text size="xs" c="dimmed">
        {uid}
      </Text>
    </Stack>
  );
}
