import { Checkbox, Fieldset, Group, JsonInput, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { jsonOf, textOf } from '../../components/form-fields';
import { texts } from '../../texts';
import type { Partner } from './queries';

type Capabilities = Partner['capabilities'];

/** What the form of a partner shows and sets. */
export type PartnerDetails = Pick<
  Partner,
  'name' | 'enabled' | 'printHouseUid' | 'senderAddress' | 'capabilities'
>;

const t = texts.partners.edit;
const KINDS: readonly Capabilities['productKinds'][number][] = ['print', 'apparel', 'mounted'];

const words = (text: string | null): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean);

/** Returns the details that the fields of the form hold. The API checks them. */
export function detailsOf(form: FormData): PartnerDetails {
  const state = textOf(form, 'holidayState');
  const details = {
    name: textOf(form, 'name') ?? '',
    enabled: form.has('enabled'),
    printHouseUid: textOf(form, 'printHouseUid'),
    senderAddress: jsonOf(form, 'senderAddress', t.fields.senderAddress),
    capabilities: {
      productKinds: form.getAll('kinds'),
      countriesServed: words(textOf(form, 'countries')).map((country) => country.toUpperCase()),
      capacityPerDay: Number(textOf(form, 'capacity')),
      models: jsonOf(form, 'models', t.fields.models),
      calendar: {
        timeZone: textOf(form, 'timeZone') ?? '',
        workingDays: form.getAll('workingDays').map(Number),
        cutOff: textOf(form, 'cutOff') ?? '',
        holidays: {
          country: (textOf(form, 'holidayCountry') ?? '').toUpperCase(),
          ...(state === null ? {} : { state }),
        },
        closedDates: words(textOf(form, 'closedDates')),
      },
    },
  };
  return details as PartnerDetails;
}

/** The fields of a partner's details. */
export function PartnerFields({
  details,
  first,
}: {
  readonly details: PartnerDetails;
  /** Above the others. */
  readonly first?: ReactNode;
}) {
  const { capabilities, senderAddress } = details;
  const { calendar } = capabilities;
  const f = t.fields;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {first}
        <TextInput name="name" label={f.name} required maxLength={100} defaultValue={details.name} />
        <TextInput
          name="printHouseUid"
          label={f.printHouseUid}
          maxLength={100}
          defaultValue={details.printHouseUid ?? ''}
        />
        <TextInput
          name="capacity"
          label={f.capacity}
          type="number"
          min={1}
          required
          defaultValue={capabilities.capacityPerDay}
        />
        <TextInput
          name="countries"
          label={f.countries}
          defaultValue={capabilities.countriesServed.join(', ')}
        />
        <TextInput name="timeZone" label={f.timeZone} required defaultValue={calendar.timeZone} />
        <TextInput name="cutOff" label={f.cutOff} type="time" required defaultValue={calendar.cutOff} />
        <TextInput
          name="holidayCountry"
          label={f.holidayCountry}
          required
          maxLength={2}
          defaultValue={calendar.holidays.country}
        />
        <TextInput
          name="holidayState"
          label={f.holidayState}
          maxLength={10}
          defaultValue={calendar.holidays.state ?? ''}
        />
      </SimpleGrid>
      <Checkbox name="enabled" label={f.enabled} defaultChecked={details.enabled} />
      <Choices
        name="kinds"
        legend={f.kinds}
        chosen={capabilities.productKinds}
        of={KINDS.map((kind) => [kind, texts.names.code(kind)])}
      />
      <Choices
        name="workingDays"
        legend={f.workingDays}
        chosen={calendar.workingDays.map(String)}
        of={texts.partners.calendar.weekdays.map((day, index) => [String(index + 1), day])}
      />
      <Textarea
        name="closedDates"
        label={f.closedDates}
        autosize
        minRows={1}
        maxRows={6}
        defaultValue={calendar.closedDates?.join('\n')}
      />
      <JsonInput
        name="models"
        label={f.models}
        description={f.modelsHelp}
        required
        autosize
        minRows={3}
        maxRows={10}
        defaultValue={JSON.stringify(capabilities.models, null, 2)}
      />
      <JsonInput
        name="senderAddress"
        label={f.senderAddress}
        description={f.senderAddressHelp}
        required
        autosize
        minRows={3}
        maxRows={10}
        defaultValue={JSON.stringify(senderAddress, null, 2)}
      />
    </>
  );
}

function Choices(props: {
  readonly name: string;
  readonly legend: string;
  readonly chosen: readonly string[];
  readonly of: readonly (readonly [value: string, label: string])[];
}) {
  return (
    <Fieldset legend={props.legend}>
      <Group gap="md">
        {props.of.map(([value, label]) => (
          <Checkbox
            key={value}
            name={props.name}
            value={value}
            label={label}
            defaultChecked={props.chosen.includes(value)}
          />
        ))}
      </Group>
    </Fieldset>
  );
}
