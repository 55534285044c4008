import { useQuery } from '@tanstack/react-query';
import { Facts } from '../../components/facts';
import { percent, spanOf } from '../../components/figures';
import { Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Age } from '../../components/time';
import { texts } from '../../texts';
import { partnerHealth } from './queries';

const t = texts.partners.health;
const { none } = texts.common;
const age = (at: string | null) => (at === null ? t.never : <Age at={at} />);
const span = (seconds: number | null) => (seconds === null ? none : spanOf(seconds));

/** Figures of a partner's latest print orders, requests and stock reports. */
export function PartnerHealth({ partnerId }: { readonly partnerId: string }) {
  const query = useQuery(partnerHealth(partnerId));
  return (
    <Section title={t.title}>
      <Loaded query={query} lines={2}>
        {({ requests, stock, ...health }) => (
          <Facts
            facts={[
              [t.accept, span(health.acceptSecondsMedian)],
              [t.acceptSlow, span(health.acceptSecondsP95)],
              [
                t.late,
                health.lateShare === null
                  ? t.noneDue
                  : t.lateOf(health.late, health.due, percent(health.lateShare)),
              ],
              [t.errors, t.errorsOf(health.errors, health.printOrders)],
              [
                t.failures,
                t.failuresOf(
                  requests.retry + requests.refused,
                  requests.accepted + requests.retry + requests.refused,
                ),
              ],
              [t.lastRequest, age(health.lastRequestAt)],
              [t.lastPostback, age(health.lastPostbackAt)],
              [t.stock, t.stockOf(stock.skus)],
              [t.stockOldest, age(stock.oldest)],
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
