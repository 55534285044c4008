import { Anchor, Group } from '@mantine/core';
import * as texts from '../../texts';

const t = texts.shipments;

/** Links that fetch the label of a package again, to print it. */
export function LabelLinks({
  label: { shipmentId, position },
}: {
  readonly label: { readonly shipmentId: string; readonly position: number };
}) {
  // The response is a file, so the generated client has no such operation.
  const path = `/v1/operator/shipments/${encodeURIComponent(shipmentId)}/labels/${position}`;
  return (
    <Group gap="xs" wrap="nowrap">
      <Anchor size="sm" href={`${path}?format=pdf`} target="_blank" rel="noreferrer">
        {t.pdf}
      </Anchor>
      <Anchor size="sm" href={`${path}?format=zpl`}>
        {t.zpl}
      </Anchor>
    </Group>
  );
}
