import { Badge } from '../../components/values/badge';
import * as texts from '../../texts';
import type { Partner } from './queries';

const t = texts.partners.states;

/** Whether routing may choose the partner. */
export function PartnerState({ partner }: { readonly partner: Pick<Partner, 'enabled' | 'subscription'> }) {
  if (!partner.enabled) return <Badge tone="neutral">{t.disabled}</Badge>;
  if (partner.subscription === null) return <Badge tone="warning">{t.notSubscribed}</Badge>;
  return <Badge tone="success">{t.routed}</Badge>;
}
