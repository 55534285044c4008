import { Checkbox, Fieldset, Group, JsonInput, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { call, type Input } from '../../api/call';
import { Act } from '../../components/act';
import { jsonOf, textOf } from '../../components/form-fields';
import { texts } from '../../texts';
import type { Partner } from './queries';

type Change = Input<'changePartner'>['body'];
type Capabilities = Partner['capabilities'];

const t = texts.partners.edit;
const KINDS: readonly Capabilities['productKinds'][number][] = ['print', 'apparel', 'mounted'];

const words = (text: string | null): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean);

/** Returns the change that the fields of the dialog make. The API checks it. */
function changeOf(form: FormData): Change {
  const state = textOf(form, 'holidayState');
  const change = {
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
  return change as Change;
}

/** The button that opens the details of a partner for editing. */
export function EditPartner({ partner }: { readonly partner: Partner }) {
  return (
    <Act
      name={t.name}
      explanation={t.explanation}
      button={t.button}
      dialogSize="xl"
      fields={<Fields partner={partner} />}
      run={({ form, idempotencyKey }) =>
        call('changePartner', { params: { partnerId: partner.id }, body: changeOf(form) }, { idempotencyKey })
      }
    />
  );
}

function Fields({ partner }: { readonly partner: Partner }) {
  const { capabilities, senderAddress } = partner;
  const { calendar } = capabilities;
  const f = t.fields;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          name="name"
          label={f.name}
          required
          maxLength={100}
          defaultValue={partner.name}
          data-autofocus
        />
        <TextInput
          name="printHouseUid"
          label={f.printHouseUid}
          maxLength={100}
          defaultValue={partner.printHouseUid ?? ''}
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
      <Checkbox name="enabled" label={f.enabled} defaultChecked={partner.enabled} />
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
        required
        autosize
        minRows={3}
        maxRows={10}
        defaultValue={JSON.stringify(capabilities.models, null, 2)}
      />
      <JsonInput
        name="senderAddress"
        label={f.senderAddress}
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
