import { change } from '../../api/changes';
import { DialogButton } from '../../components/forms/dialog-button';
import * as texts from '../../texts';
import { detailsOf, PartnerFields } from './partner-fields';
import type { Partner } from './queries';

const t = texts.partners.edit;

/** The button that opens the details of a partner for editing. */
export function EditPartner({ partner }: { readonly partner: Partner }) {
  return (
    <DialogButton
      name={t.name}
      explanation={t.explanation}
      button={t.button}
      dialogSize="xl"
      fields={<PartnerFields details={partner} currency={partner.currency} />}
      changeOf={({ form }) =>
        change('changePartner', {
          params: { partnerId: partner.id },
          body: detailsOf(form, partner.currency),
        })
      }
    />
  );
}
