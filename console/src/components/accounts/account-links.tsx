import { Group } from '@mantine/core';
import * as texts from '../../texts';
import { Link } from '../values/link';

/** A link to the page of a client. */
export function ClientLink({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <Link to="/clients/$clientId" params={{ clientId: id }}>
      {name}
    </Link>
  );
}

/** A link to the page of a print partner. */
export function PartnerLink({ id, uid }: { readonly id: string; readonly uid: string }) {
  return (
    <Link to="/partners/$partnerId" params={{ partnerId: id }}>
      {uid}
    </Link>
  );
}

/** The partners of an order, each as a link. */
export function PartnerLinks({
  partners,
}: {
  readonly partners: readonly { readonly id: string; readonly uid: string }[];
}) {
  if (partners.length === 0) return texts.common.none;
  return (
    <Group gap={6}>
      {partners.map((partner) => (
        <PartnerLink key={partner.id} {...partner} />
      ))}
    </Group>
  );
}
