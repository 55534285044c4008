import { useMay } from '../../api/session';
import { DescriptionList } from '../../components/layout/description-list';
import { Section } from '../../components/layout/section';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { Partner } from './queries';
import { RegisterAddresses } from './register-addresses';

const t = texts.partners.subscription;
const { none } = texts.common;

/** The addresses at which a partner is called. */
export function Subscription({ partner: { id, subscription } }: { readonly partner: Partner }) {
  const mayRegister = useMay('admin');
  return (
    <Section
      title={t.title}
      actions={mayRegister ? <RegisterAddresses partnerId={id} subscription={subscription} /> : null}
    >
      <DescriptionList
        entries={
          subscription === null
            ? [[t.none, t.noneText]]
            : [
                [t.orderSubmitUrl, subscription.orderSubmitUrl],
                [t.apparelOrderSubmitUrl, subscription.apparelOrderSubmitUrl ?? none],
                [t.orderCancelUrl, subscription.orderCancelUrl ?? none],
                [t.orderUpdateUrl, subscription.orderUpdateUrl ?? none],
                [t.inventoryUrl, subscription.inventoryUrl ?? none],
                [t.version, subscription.version ?? t.versionDefault],
                [t.subscribedAt, <Time key="subscribed" at={subscription.subscribedAt} />],
              ]
        }
      />
    </Section>
  );
}
