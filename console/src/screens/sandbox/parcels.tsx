import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import type { Input } from '../../api/call';
import { useMay } from '../../api/session';
import { Act } from '../../components/act';
import { type Column, DataTable } from '../../components/data-table';
import { textOf } from '../../components/form-fields';
import { Empty } from '../../components/loaded';
import { Section } from '../../components/section';
import { texts } from '../../texts';
import { CommandAnswer } from './command-answer';
import type { Sandbox } from './sandbox-screen';
import { reportScan, useCommand } from './use-command';

type Parcel = Sandbox['parcels'][number];
type Scan = Input<'sendSandboxCarrierEvent'>['body']['statusUid'];

const t = texts.sandbox.parcels;
/** The scans that have buttons in the list, and all that a carrier can report. */
const SHOWN: readonly Scan[] = ['in_transit', 'out_for_delivery', 'delivered', 'returned'];
const SCANS: readonly Scan[] = [
  ...(['registered', 'dispatched', 'in_transit', 'shipping_exception', 'out_for_delivery'] as const),
  ...(['failed_attempt', 'available_for_pickup', 'not_picked_up', 'returned', 'delivered'] as const),
];

const COLUMNS: readonly Column<Parcel>[] = [
  { name: t.columns.number, cell: ({ trackingNumber }) => trackingNumber },
  { name: t.columns.carrier, cell: ({ carrierUid }) => carrierUid ?? texts.common.none },
  { name: t.columns.journey, cell: ({ journey }) => texts.names.code(journey) },
  {
    name: t.columns.scans,
    cell: ({ events }) => events.map(({ statusUid }) => statusUid).join(', ') || texts.common.none,
  },
];

/** Parcels that the carriers of the sandbox have, and buttons that report scans. */
export function Parcels({ sandbox: { parcels, carriers } }: { readonly sandbox: Sandbox }) {
  const mayControl = useMay('operator');
  const command = useCommand();
  const whatOf = (scan: Scan, trackingNumber: string) => t.label(texts.names.code(scan), trackingNumber);
  const report = (carrierUid: string, trackingNumber: string, statusUid: Scan) =>
    command.send({
      what: whatOf(statusUid, trackingNumber),
      send: reportScan(carrierUid, { trackingNumber, statusUid }),
    });
  const act: Column<Parcel> = {
    name: t.columns.act,
    cell: ({ trackingNumber, carrierUid }) =>
      carrierUid === null ? null : (
        <Group gap={4}>
          {SHOWN.map((scan) => (
            <Button
              key={scan}
              size="compact-xs"
              variant="default"
              aria-label={whatOf(scan, trackingNumber)}
              loading={command.isSending(whatOf(scan, trackingNumber))}
              onClick={() => report(carrierUid, trackingNumber, scan)}
            >
              {texts.names.code(scan)}
            </Button>
          ))}
        </Group>
      ),
  };
  return (
    <Section title={t.title} actions={mayControl ? <ReportScan carriers={carriers} report={report} /> : null}>
      {parcels.length === 0 ? (
        <Empty title={t.empty} text={t.emptyText} />
      ) : (
        <DataTable
          label={t.title}
          columns={mayControl ? [...COLUMNS, act] : COLUMNS}
          rows={parcels}
          keyOf={({ trackingNumber }) => trackingNumber}
        />
      )}
      <CommandAnswer command={command} />
    </Section>
  );
}

/** The button that reports a scan of any parcel. The section shows the answer. */
function ReportScan(props: {
  readonly carriers: readonly string[];
  readonly report: (carrierUid: string, trackingNumber: string, statusUid: Scan) => void;
}) {
  return (
    <Act
      name={t.scan.name}
      explanation={t.scan.explanation}
      button={t.scan.button}
      fields={
        <>
          <TextInput name="number" label={t.scan.number} required maxLength={100} data-autofocus />
          <NativeSelect name="carrier" label={t.scan.carrier} data={[...props.carriers]} />
          <NativeSelect
            name="status"
            label={t.scan.status}
            data={SCANS.map((value) => ({ value, label: texts.names.code(value) }))}
          />
        </>
      }
      run={async ({ form }) =>
        props.report(String(form.get('carrier')), textOf(form, 'number') ?? '', form.get('status') as Scan)
      }
    />
  );
}
