import { Button, Group, TextInput } from '@mantine/core';
import { change } from '../../api/changes';
import { useMay } from '../../api/session';
import type { Input } from '../../api/types';
import { DialogButton } from '../../components/forms/dialog-button';
import { textOf } from '../../components/forms/form-values';
import { choiceOf, optionsOf, Select } from '../../components/forms/select';
import { Empty } from '../../components/layout/empty';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import * as texts from '../../texts';
import { PARCEL_STATUSES } from '../../texts/names';
import { CommandResponse, RelayedResponse } from './command-response';
import type { Sandbox } from './types';
import { useCommand } from './use-command';

type Parcel = Sandbox['parcels'][number];
type Scan = Input<'sendSandboxCarrierEvent'>['body']['statusUid'];

const t = texts.sandbox.parcels;
/** The scans that have buttons in the list, and all that a carrier can report. */
const SHOWN: readonly Scan[] = ['in_transit', 'out_for_delivery', 'delivered', 'returned'];
const SCANS = optionsOf(PARCEL_STATUSES);

const COLUMNS: readonly Column<Parcel>[] = [
  { name: t.columns.number, cell: ({ trackingNumber }) => trackingNumber },
  { name: t.columns.carrier, cell: ({ carrierUid }) => carrierUid ?? texts.common.none },
  { name: t.columns.journey, cell: ({ journey }) => texts.names.code(journey) },
  {
    name: t.columns.scans,
    cell: ({ events }) => events.map(({ statusUid }) => statusUid).join(', ') || texts.common.none,
  },
];

const whatOf = (scan: Scan, trackingNumber: string) => t.label(PARCEL_STATUSES[scan].text, trackingNumber);

const scanOf = (carrierUid: string, trackingNumber: string, statusUid: Scan) =>
  change('sendSandboxCarrierEvent', { params: { carrierUid }, body: { trackingNumber, statusUid } });

/** Parcels that the carriers of the sandbox have, and buttons that report scans. */
export function Parcels({ sandbox: { parcels, carriers } }: { readonly sandbox: Sandbox }) {
  const mayControl = useMay('operator');
  const command = useCommand();
  const buttons: Column<Parcel> = {
    name: t.columns.buttons,
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
              onClick={() =>
                command.send({
                  what: whatOf(scan, trackingNumber),
                  change: scanOf(carrierUid, trackingNumber, scan),
                })
              }
            >
              {PARCEL_STATUSES[scan].text}
            </Button>
          ))}
        </Group>
      ),
  };
  return (
    <Section title={t.title} actions={mayControl ? <ReportScan carriers={carriers} /> : null}>
      {parcels.length === 0 ? (
        <Empty title={t.empty} text={t.emptyText} />
      ) : (
        <DataTable
          label={t.title}
          columns={mayControl ? [...COLUMNS, buttons] : COLUMNS}
          rows={parcels}
          keyOf={({ trackingNumber }) => trackingNumber}
        />
      )}
      <CommandResponse command={command} />
    </Section>
  );
}

/** The button that reports a scan of any parcel. */
function ReportScan({ carriers }: Pick<Sandbox, 'carriers'>) {
  return (
    <DialogButton
      name={t.scan.name}
      explanation={t.scan.explanation}
      button={t.scan.button}
      fields={
        <>
          <TextInput name="number" label={t.scan.number} required maxLength={100} data-autofocus />
          <Select
            name="carrier"
            label={t.scan.carrier}
            options={carriers.map(({ uid }) => ({ value: uid, label: uid }))}
          />
          <Select name="status" label={t.scan.status} options={SCANS} />
        </>
      }
      changeOf={({ form }) =>
        scanOf(
          String(form.get('carrier')),
          textOf(form, 'number') ?? '',
          choiceOf(form, 'status', SCANS) ?? 'registered',
        )
      }
      result={(response) => <RelayedResponse what={t.scan.name} response={response} />}
    />
  );
}
