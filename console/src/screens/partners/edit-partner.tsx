import { call } from '../../api/call';
import { Act } from '../../components/act';
import { texts } from '../../texts';
import { detailsOf, PartnerFields } from './partner-fields';
import type { Partner } from './queries';

const t = texts.partners.edit;

/** The button that opens the details of a partner for editing. */
export function EditPartner({ partner }: { readonly partner: Partner }) {
  return (
    <Act
      name={t.name}
      explanation={t.explanation}
      button={t.button}
      dialogSize="xl"
      fields={<PartnerFields details={partner} />}
      run={({ form, idempotencyKey }) =>
        call(
          'changePartner',
          { params: { partnerId: partner.id }, body: detailsOf(form) },
          { idempotencyKey },
        )
      }
    />
  );
}
