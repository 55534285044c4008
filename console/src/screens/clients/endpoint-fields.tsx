import { Checkbox, Group } from '@mantine/core';
import { TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import { optionsOf } from '../../components/forms/select';
import * as texts from '../../texts';

const t = texts.clients.addEndpoint;
const EVENTS = optionsOf(texts.clients.events);

/** The fields of a new endpoint for notifications. */
export function EndpointFields() {
  return (
    <>
      <TextField name="url" label={t.url} placeholder="https://" required />
      <TextField name="description" label={t.description} maxLength={200} />
      <Checkbox.Group label={t.events} defaultValue={EVENTS.map(({ value }) => value)}>
        <Group gap="sm">
          {EVENTS.map(({ value, label }) => (
            <Checkbox key={value} name="events" value={value} label={label} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
}

/** Returns the endpoint that the fields hold. */
export const endpointOf = (form: FormData) => ({
  url: textOf(form, 'url') ?? '',
  description: textOf(form, 'description'),
  events: EVENTS.flatMap(({ value }) => (form.getAll('events').includes(value) ? [value] : [])),
});
