import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import { Keys } from '../../components/accounts/keys';
import { DescriptionList } from '../../components/layout/description-list';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { Calendar, Capabilities } from './capabilities';
import { EditPartner } from './edit-partner';
import { PartnerHealth } from './health';
import { PartnerState } from './partner-state';
import { Ping } from './ping';
import { Postbacks } from './postbacks';
import type { Partner } from './queries';
import { Requests } from './requests';
import { Subscription } from './subscription';

const route = getRouteApi('/partners/$partnerId');
const t = texts.partners;
const { none } = texts.common;
/** Days for which the keys of a partner may overlap. */
const OVERLAP_DAYS = [0, 1, 7];

export function PartnerScreen() {
  const { partnerId } = route.useParams();
  const query = useQuery(read('getPartner', { params: { partnerId } }));
  const mayPing = useMay('operator');
  const mayEdit = useMay('admin');
  const partner = query.data;
  return (
    <Screen
      title={partner?.uid ?? partnerId}
      actions={
        partner === undefined ? null : (
          <>
            {mayPing && partner.subscription !== null ? <Ping partnerId={partner.id} /> : null}
            {mayEdit ? <EditPartner partner={partner} /> : null}
          </>
        )
      }
    >
      <QueryContent query={query}>
        {(found) => (
          <>
            <Details partner={found} />
            <PartnerHealth partnerId={found.id} />
            <Subscription partner={found} />
            <Capabilities partner={found} />
            <Calendar partner={found} />
            <PartnerKeys partnerId={found.id} />
            <Requests partnerId={found.id} />
            <Postbacks partnerId={found.id} />
          </>
        )}
      </QueryContent>
    </Screen>
  );
}

function Details({ partner }: { readonly partner: Partner }) {
  const { senderAddress: sender } = partner;
  return (
    <DescriptionList
      entries={[
        [t.columns.state, <PartnerState key="state" partner={partner} />],
        [t.edit.fields.name, partner.name],
        [
          t.details.country,
          partner.stateProvince === null ? partner.country : `${partner.country}-${partner.stateProvince}`,
        ],
        [t.details.currency, partner.currency],
        [t.details.printHouse, partner.printHouseUid ?? none],
        [t.details.sender, [sender.company, sender.addressLine1, `${sender.postcode} ${sender.city}`].join(', ')],
        [t.details.created, <Time key="created" at={partner.createdAt} />],
      ]}
    />
  );
}

function PartnerKeys({ partnerId }: { readonly partnerId: string }) {
  const query = useQuery(read('listPartnerKeys', { params: { partnerId } }));
  return (
    <Keys
      query={query}
      overlapDays={OVERLAP_DAYS}
      add={(body) => change('rotatePartnerKey', { params: { partnerId }, body })}
      uses={(keyId) => read('getPartnerKeyUses', { params: { partnerId, keyId } })}
      revoke={(keyId) => change('revokePartnerKey', { params: { partnerId, keyId } })}
    />
  );
}
