/** What a report can be grouped by. The currency always divides the groups: amounts of two currencies are never added. */
export const REPORT_DIMENSIONS = ['day', 'client', 'partner', 'carrier', 'product'] as const;
export type ReportDimension = (typeof REPORT_DIMENSIONS)[number];

/** The columns of a line that dimensions and filters compare. */
export const DIMENSION_COLUMNS = {
  client: 'client_id',
  partner: 'partner_id',
  carrier: 'carrier_uid',
  product: 'product_uid',
} as const satisfies Record<Exclude<ReportDimension, 'day'>, keyof ReportLine>;

export type ReportFilters = Readonly<Partial<Record<keyof typeof DIMENSION_COLUMNS, string>>>;

/** A line of an order (`reportLines`). */
export interface ReportLine {
  readonly order_id: string;
  readonly kind: string;
  readonly client_id: string;
  readonly partner_id: string | null;
  readonly carrier_uid: string | null;
  readonly product_uid: string | null;
  readonly currency: string;
  readonly is_reprint: boolean;
  readonly units: number;
  readonly revenue_minor: bigint;
  readonly cost_minor: bigint;
  readonly is_delivered: boolean;
  readonly is_late: boolean;
}

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
] as const;

/** Null: the report is not grouped by it, or the lines of the group have none. */
export type ReportGroup = Readonly<Record<ReportDimension, string | null>> & { readonly currency: string } & Record<
    (typeof MEASURES)[number],
    number
  >;

/** The groups of a report, to which hot groups and archived lines are added. */
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

  /** Adds what Postgres has added up. */
  add(added: ReportGroup): void {
    const group = this.groupOf(added);
    for (const measure of MEASURES) group[measure] += added[measure];
  }

  /**
   * Adds the lines of archived orders of a day. An order counts once in each group that has an item of it.
   * @param lines all lines of each order, one order after the other
   */
  addLines(day: string, lines: readonly ReportLine[]): void {
    let orderId = '';
    let counted = new Set<ReportGroup>();
    for (const line of lines) {
      if (line.order_id !== orderId) [orderId, counted] = [line.order_id, new Set()];
      if (!this.matches(line)) continue;
      const of = Object.entries(DIMENSION_COLUMNS).map(([name, column]) => [name, line[column]]);
      const group = this.groupOf({ day, currency: line.currency, ...Object.fromEntries(of) } as ReportGroup);
      if (line.kind === 'item' && !counted.has(group)) {
        counted.add(group);
        group.orders += 1;
        group.reprints += Number(line.is_reprint);
      }
      group.units += line.units;
      group.revenueMinor += Number(line.revenue_minor);
      group.costMinor += Number(line.cost_minor);
      group.parcels += Number(line.kind === 'parcel');
      group.delivered += Number(line.is_delivered);
      group.late += Number(line.is_late);
      group.errors += Number(line.kind === 'error');
    }
  }

  /** Returns the groups in the order of their names. */
  all(): ReportGroup[] {
    return [...this.groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  }

  private matches(line: ReportLine): boolean {
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
