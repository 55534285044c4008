import { call } from '../../api/call';
import { Act } from '../../components/act';
import { StatusBadge } from '../../components/badge';
import { Facts } from '../../components/facts';
import { texts } from '../../texts';

const t = texts.partners.ping;

/** The button that sends a signed test message to a partner and shows its answer. */
export function Ping({ partnerId }: { readonly partnerId: string }) {
  return (
    <Act
      name={t.name}
      explanation={t.explanation}
      button={t.button}
      run={({ idempotencyKey }) => call('pingPartner', { params: { partnerId } }, { idempotencyKey })}
      result={({ outcome, status, durationMs, answer }) => (
        <Facts
          facts={[
            [t.outcome, <StatusBadge key="outcome" status={outcome} />],
            [t.status, status ?? t.noAnswer],
            [t.duration, t.ms(durationMs)],
            [t.answer, answer ?? texts.common.none],
          ]}
        />
      )}
    />
  );
}
