import { useQuery } from '@tanstack/react-query';
import { DescriptionList } from '../../components/layout/description-list';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { durationOf } from '../../components/values/duration';
import { percent } from '../../components/values/percent';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { partnerHealth } from './queries';

const t = texts.partners.health;
const { none } = texts.common;
const age = (at: string | null) => (at === null ? t.never : <Age at={at} />);
const span = (seconds: number | null) => (seconds === null ? none : durationOf(seconds));

/** Figures of a partner's latest print orders, requests and stock reports. */
export function PartnerHealth({ partnerId }: { readonly partnerId: string }) {
  const query = useQuery(partnerHealth(partnerId));
  return (
    <Section title={t.title}>
      <QueryContent query={query} lines={2}>
        {({ requests, stock, ...health }) => (
          <DescriptionList
            entries={[
              [t.accept, span(health.acceptSecondsMedian)],
              [t.acceptSlow, span(health.acceptSecondsP95)],
              [
                t.late,
                health.lateShare === null ? t.noneDue : t.lateOf(health.late, health.due, percent(health.lateShare)),
              ],
              [t.errors, t.errorsOf(health.errors, health.printOrders)],
              [
                t.failures,
                t.failuresOf(requests.retry + requests.refused, requests.accepted + requests.retry + requests.refused),
              ],
              [t.lastRequest, age(health.lastRequestAt)],
              [t.lastPostback, age(health.lastPostbackAt)],
              [t.stock, t.stockOf(stock.skus)],
              [t.stockOldest, age(stock.oldest)],
            ]}
          />
        )}
      </QueryContent>
    </Section>
  );
}
