import * as texts from '../../texts';
import { Select } from '../forms/select';
import { useClientOptions, usePartnerOptions } from './account-options';

const t = texts.orders;

/** The filters of a list by client and by print partner, as its address has them. */
interface AccountFilter {
  readonly clientId?: string | undefined;
  readonly partnerId?: string | undefined;
}

/** The fields of the filters by client and by print partner. */
export function AccountFilters(props: {
  readonly search: AccountFilter;
  readonly onChange: (changed: AccountFilter) => void;
}) {
  const { search, onChange } = props;
  return (
    <>
      <Select
        label={t.client}
        none={t.allClients}
        w={160}
        value={search.clientId}
        onChange={(clientId) => onChange({ clientId })}
        options={useClientOptions()}
      />
      <Select
        label={t.partner}
        none={t.allPartners}
        w={160}
        value={search.partnerId}
        onChange={(partnerId) => onChange({ partnerId })}
        options={usePartnerOptions()}
      />
    </>
  );
}
