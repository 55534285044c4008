import { change } from '../../api/changes';
import { DialogButton } from '../../components/forms/dialog-button';
import { DescriptionList } from '../../components/layout/description-list';
import { StatusBadge } from '../../components/values/badge';
import { durationOfMs } from '../../components/values/duration';
import * as texts from '../../texts';

const t = texts.partners.ping;

/** The button that sends a signed test message to a partner and shows its response. */
export function Ping({ partnerId }: { readonly partnerId: string }) {
  return (
    <DialogButton
      name={t.name}
      explanation={t.explanation}
      button={t.button}
      changeOf={() => change('pingPartner', { params: { partnerId } })}
      result={({ outcome, status, durationMs, response }) => (
        <DescriptionList
          entries={[
            [t.outcome, <StatusBadge key="outcome" status={outcome} />],
            [t.status, status ?? t.noResponse],
            [t.duration, durationOfMs(durationMs)],
            [t.response, response ?? texts.common.none],
          ]}
        />
      )}
    />
  );
}
