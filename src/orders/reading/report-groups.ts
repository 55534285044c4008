import type { SummedLine } from './report-sums';

/** What a report can be grouped by. The currency always divides the groups: amounts of two currencies are never added. */
export const REPORT_DIMENSIONS = ['day', 'client', 'country', 'partner', 'carrier', 'product'] as const;
export type ReportDimension = (typeof REPORT_DIMENSIONS)[number];

/** The columns of a line that dimensions and filters compare. */
export const DIMENSION_COLUMNS = {
  client: 'client_id',
  country: 'country',
  partner: 'partner_id',
  carrier: 'carrier_uid',
  product: 'product_uid',
} as const satisfies Record<Exclude<ReportDimension, 'day'>, keyof SummedLine>;

export type ReportFilters = Readonly<Partial<Record<keyof typeof DIMENSION_COLUMNS, string>>>;

/** What a group adds up. Amounts are minor units of its currency. */
export const MEASURES = [
  'orders',
  'reprints',
  'units',
  'revenueMinor',
  'costMinor',
  'parcels',
  'delivered',
  'late',
  'errors',
  'claims',
] as const;

/** Null: the report is not grouped by it, or the lines of the group have none. */
export type ReportGroup = Readonly<Record<ReportDimension, string | null>> & { readonly currency: string } & Record<
    (typeof MEASURES)[number],
    number
  >;

/** The groups of a report, to which hot groups and sums of archived orders are added. */
export class ReportGroups {
  private readonly groups = new Map<string, ReportGroup>();

  /** @param most number of groups, above which `isFull` */
  constructor(
    private readonly by: ReadonlySet<ReportDimension>,
    private readonly filters: ReportFilters,
    private readonly most: number,
  ) {}

  get isFull(): boolean {
    return this.groups.size > this.most;
  }

  add(added: ReportGroup): void {
    const group = this.groupOf(added);
    for (const measure of MEASURES) group[measure] += added[measure];
  }

  /** Adds the sums of archived orders of a day. Orders count once in each group that has an item of theirs. */
  addSums(day: string, lines: readonly SummedLine[]): void {
    let number = -1;
    let counted = new Set<ReportGroup>();
    for (const line of lines) {
      if (line.orders_number !== number) [number, counted] = [line.orders_number, new Set()];
      if (!this.matches(line)) continue;
      const of = Object.entries(DIMENSION_COLUMNS).map(([name, column]) => [name, line[column]]);
      const group = this.groupOf({ day, currency: line.currency, ...Object.fromEntries(of) } as ReportGroup);
      if (line.has_items && !counted.has(group)) {
        counted.add(group);
        group.orders += line.orders;
        if (line.is_reprint) group.reprints += line.orders;
      }
      group.units += Number(line.units);
      group.revenueMinor += Number(line.revenue_minor);
      group.costMinor += Number(line.cost_minor);
      group.parcels += Number(line.parcels);
      group.delivered += Number(line.delivered);
      group.late += Number(line.late);
      group.errors += Number(line.errors);
      group.claims += Number(line.claims);
    }
  }

  all(): ReportGroup[] {
    return [...this.groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  }

  private matches(line: SummedLine): boolean {
    return Object.entries(this.filters).every(
      ([name, value]) => value === undefined || line[DIMENSION_COLUMNS[name as keyof ReportFilters]] === value,
    );
  }

  private groupOf(of: ReportGroup): ReportGroup {
    const names = REPORT_DIMENSIONS.map((name) => [name, this.by.has(name) ? of[name] : null] as const);
    const key = JSON.stringify([...names.map(([, value]) => value ?? ''), of.currency]);
    const group =
      this.groups.get(key) ??
      ({
        ...Object.fromEntries(names),
        currency: of.currency,
        ...Object.fromEntries(MEASURES.map((name) => [name, 0])),
      } as ReportGroup);
    this.groups.set(key, group);
    return group;
  }
}
