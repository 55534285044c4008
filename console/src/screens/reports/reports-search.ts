import * as z from 'zod/mini';
import { day, keyOf, text } from '../../routing/search-params';
import * as texts from '../../texts';

const { dimensions, measures } = texts.reports;

/** The period in UTC, the grouping, the measure of the chart, and the filters. */
export const reportsSearch = z.object({
  from: day,
  to: day,
  by: keyOf(dimensions),
  chart: keyOf(measures),
  clientId: text,
  country: text,
  partnerId: text,
  carrierUid: text,
  productUid: text,
});
export type ReportsSearch = z.infer<typeof reportsSearch>;
