import type { ApiResponse, Input } from '../../../api/types';
import { type Marks, ObjectFields, type ObjectForm, objectOf } from '../../../components/forms/object-fields';
import * as texts from '../../../texts';

/** The delivery address of an order. */
type Address = ApiResponse<'getOrder'>['shippingAddress'];
type Submitted = NonNullable<Input<'updateShipment'>['body']['shippingAddress']>;
type Fields = Omit<Submitted, 'isBusiness' | 'federalTaxId' | 'stateTaxId' | 'registrationState'>;

const FORM: ObjectForm<Fields> = {
  labels: texts.order.address.fields,
  rules: {
    // A company can have none, and some countries have no postcodes.
    firstName: { required: false },
    postCode: { required: false },
    lastName: { required: true },
    addressLine1: { required: true },
    city: { required: true },
    country: { required: true },
    email: { required: true, type: 'email' },
    phone: { required: true },
  } satisfies Marks<Fields>,
};
const NAME = 'shippingAddress';

/** The fields of a delivery address. */
export function AddressFields({ address }: { readonly address: Address }) {
  return <ObjectFields name={NAME} legend={texts.order.address.legend} form={FORM} value={address as Fields} />;
}

/** Returns the address that the fields hold, with what they do not show. Undefined: it is the same as before. */
export function addressOf(form: FormData, before: Address): Submitted | undefined {
  const fields = objectOf(form, NAME, FORM);
  if (fields === null) return undefined;
  const shown = Object.keys(FORM.labels) as (keyof Fields)[];
  if (shown.every((name) => (fields[name] ?? '') === (before[name] ?? ''))) return undefined;
  const kept = Object.entries(before).filter(([name, value]) => value !== null && !(name in FORM.labels));
  return { ...Object.fromEntries(kept), ...fields };
}
