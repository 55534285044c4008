import { DescriptionList } from '../../components/layout/description-list';
import { Empty } from '../../components/layout/empty';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { minorUnitsOf, moneyOf } from '../../components/values/money';
import * as texts from '../../texts';
import type { Partner } from './queries';

type Offer = Partner['capabilities']['models'][string];

const t = texts.partners;

/** What a partner produces and where it ships to. */
export function Capabilities({ partner: { capabilities, currency } }: { readonly partner: Partner }) {
  const { productKinds, countriesServed, capacityPerDay, models } = capabilities;
  const c = t.capabilities;
  const columns: readonly Column<readonly [string, Offer]>[] = [
    { name: c.modelColumns.model, cell: ([uid]) => uid },
    {
      name: c.modelColumns.price,
      numeric: true,
      cell: ([, { unitPriceMinor }]) => moneyOf(unitPriceMinor / minorUnitsOf(currency), currency),
    },
    { name: c.modelColumns.lead, cell: ([, { leadDays }]) => c.leadDays(leadDays) },
  ];
  const offers = Object.entries(models).sort(([a], [b]) => a.localeCompare(b));
  return (
    <Section title={c.title}>
      <DescriptionList
        entries={[
          [c.kinds, productKinds.map(texts.names.code).join(', ') || texts.common.none],
          [c.countries, countriesServed.includes('*') ? c.everywhere : countriesServed.join(', ')],
          [c.capacity, c.capacityOf(capacityPerDay)],
        ]}
      />
      {offers.length === 0 ? (
        <Empty title={c.noModel} text={c.noModelText} />
      ) : (
        <DataTable label={c.models} columns={columns} rows={offers} keyOf={([uid]) => uid} />
      )}
    </Section>
  );
}

/** The working hours of a partner, in which dispatch dates are counted. */
export function Calendar({ partner }: { readonly partner: Partner }) {
  const { timeZone, workingDays, cutOff, holidays, closedDates = [] } = partner.capabilities.calendar;
  const c = t.calendar;
  return (
    <Section title={c.title}>
      <DescriptionList
        entries={[
          [c.timeZone, timeZone],
          [c.workingDays, workingDays.map((day) => c.weekdays[day - 1]).join(', ')],
          [c.cutOff, cutOff],
          [c.holidays, holidays.state === undefined ? holidays.country : `${holidays.country}-${holidays.state}`],
          [c.closed, closedDates.join(', ') || texts.common.none],
        ]}
      />
    </Section>
  );
}
