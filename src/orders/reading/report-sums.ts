import type { Column } from '../../platform/parquet';

export interface ReportLine {
  readonly order_id: string;
  readonly kind: string;
  readonly client_id: string;
  /** Of the shipping address. */
  readonly country: string;
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

/** What a line of orders has in common with others that are added to it. */
type SumKey = Pick<
  ReportLine,
  'client_id' | 'country' | 'partner_id' | 'carrier_uid' | 'product_uid' | 'currency' | 'is_reprint'
> & {
  /** True when orders count in the groups of this line: it has items of theirs. */
  readonly has_items: boolean;
};

export type SummedLine = SumKey & {
  /** Equal for the lines of the same orders. */
  readonly orders_number: number;
  readonly orders: number;
} & Record<(typeof SUMMED)[number], number | bigint>;

const SUMMED = ['units', 'revenue_minor', 'cost_minor', 'parcels', 'delivered', 'late', 'errors', 'claims'] as const;

const column = (name: keyof SummedLine, type: Column['type']): Column => ({ name, type, doc: '' });
export const SUM_COLUMNS: readonly Column[] = [
  column('orders_number', 'INT32'),
  column('orders', 'INT32'),
  ...(['client_id', 'country', 'partner_id', 'carrier_uid', 'product_uid', 'currency'] as const).map((name) =>
    column(name, 'STRING'),
  ),
  column('is_reprint', 'BOOLEAN'),
  column('has_items', 'BOOLEAN'),
  ...SUMMED.map((name) => column(name, 'INT64')),
];

interface Sum {
  readonly key: SumKey;
  readonly measures: Record<(typeof SUMMED)[number], number>;
}

/**
 * Adds up the lines of orders that are equal for every report: they have lines of the same client, partners, carriers, products
 * and currencies. A report of any groups and filters has the same figures from these sums as from the lines. Sums of a whole
 * group would not do: an order counts once in a group, however many of its lines are in it.
 */
export class ReportSums {
  private readonly equal = new Map<string, { orders: number; readonly sums: readonly Sum[] }>();

  /** @param lines all lines of each order, one order after the other */
  add(lines: readonly ReportLine[]): void {
    for (let from = 0; from < lines.length; ) {
      let to = from + 1;
      while (to < lines.length && lines[to]!.order_id === lines[from]!.order_id) to += 1;
      this.addOrder(lines.slice(from, to));
      from = to;
    }
  }

  private addOrder(lines: readonly ReportLine[]): void {
    const byKey = new Map<string, Sum>();
    for (const line of lines) {
      const has_items = line.kind === 'item';
      const { client_id, country, partner_id, carrier_uid, product_uid, currency, is_reprint } = line;
      const key = { client_id, country, partner_id, carrier_uid, product_uid, currency, is_reprint, has_items };
      const name = JSON.stringify(Object.values(key));
      const sum = byKey.get(name) ?? { key, measures: nothing() };
      byKey.set(name, sum);
      add(sum.measures, {
        units: line.units,
        revenue_minor: Number(line.revenue_minor),
        cost_minor: Number(line.cost_minor),
        parcels: Number(line.kind === 'parcel'),
        delivered: Number(line.is_delivered),
        late: Number(line.is_late),
        errors: Number(line.kind === 'error'),
        claims: Number(line.kind === 'claim'),
      });
    }
    const names = [...byKey.keys()].sort();
    const all = names.join('\n');
    const sums = names.map((name) => byKey.get(name)!);
    const equal = this.equal.get(all);
    if (equal === undefined) this.equal.set(all, { orders: 1, sums });
    else {
      equal.orders += 1;
      for (const [index, { measures }] of sums.entries()) add(equal.sums[index]!.measures, measures);
    }
  }

  /** Returns the sums, those of equal orders one after the other. */
  all(): SummedLine[] {
    return [...this.equal.values()].flatMap(({ orders, sums }, orders_number) =>
      sums.map(({ key, measures }) => ({ ...key, ...measures, orders, orders_number })),
    );
  }
}

const nothing = () => Object.fromEntries(SUMMED.map((name) => [name, 0])) as Sum['measures'];

function add(to: Sum['measures'], measures: Sum['measures']): void {
  for (const name of SUMMED) to[name] += measures[name];
}
