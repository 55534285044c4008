import { change } from '../../api/changes';
import { Secrets } from '../../components/accounts/secrets';
import { DialogButton } from '../../components/forms/dialog-button';
import { TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import * as texts from '../../texts';
import type { Partner } from './queries';

const t = texts.partners.subscription;
const ADDRESSES = [
  'orderSubmitUrl',
  'apparelOrderSubmitUrl',
  'orderCancelUrl',
  'orderUpdateUrl',
  'inventoryUrl',
] as const satisfies readonly (keyof NonNullable<Partner['subscription']>)[];

/** The button that opens the form of a partner's addresses. Its new signing secret is shown once. */
export function RegisterAddresses({
  partnerId,
  subscription,
}: {
  readonly partnerId: string;
  readonly subscription: Partner['subscription'];
}) {
  return (
    <DialogButton
      name={t.register}
      explanation={t.registerText}
      button={t.registerButton}
      fields={ADDRESSES.map((name) => (
        <TextField
          key={name}
          name={name}
          label={t[name]}
          placeholder="https://"
          required={name === 'orderSubmitUrl'}
          defaultValue={subscription?.[name] ?? ''}
        />
      ))}
      changeOf={({ form }) =>
        change('createPartnerSubscription', {
          params: { partnerId },
          body: {
            ...(Object.fromEntries(ADDRESSES.map((name) => [name, textOf(form, name)])) as Record<
              (typeof ADDRESSES)[number],
              string
            >),
            version: subscription?.version ?? null,
            documentTypes: subscription?.documentTypes ?? null,
          },
        })
      }
      keepsResult
      result={({ signingSecret }) => <Secrets secrets={[[t.secret, signingSecret]]} />}
    />
  );
}
