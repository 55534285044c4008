import type { ApiResponse } from '../api/types';

type Alarm = ApiResponse<'listAlarms'>['alarms'][number];
type Row = Alarm['rows'][number];

/** Texts about what is wrong outside orders. */
export const title = 'Alarms';
export const columns = { what: 'What', whose: 'Whose', where: 'Where', why: 'Why' } as const;

const orders = (count: number) => (count === 1 ? '1 order' : `${count} orders`);
const items = (count: number) => (count === 1 ? '1 item' : `${count} items`);

export const reasons: { readonly [Reason in Row['reason']]: (count: number) => string } = {
  closed_day: (count) => `A day off makes ${orders(count)} late`,
  gone: () => 'Endpoint is gone',
  failing: () => 'Endpoint fails',
  run_failed: () => 'Channel fails',
  expires: () => 'Last key expires',
  expired: () => 'Last key has expired',
  out_of_stock: (count) => `${items(count)} out of stock`,
  back_order: (count) => `${items(count)} on backorder`,
  report_differs: (count) => `${items(count)} of stock ${count === 1 ? 'differs' : 'differ'} from the partner’s report`,
  reported_out: (count) => `${items(count)} reported as out of stock`,
};

export const gone = 'The receiver responded with 410, which disabled the endpoint';
export const failing = 'The latest delivery failed, and others wait';
export const promised = (day: string) => `Dispatch ${day}`;
export const possible = (day: string) => `Possible on ${day}`;
export const more = (count: number) => `And ${count} more`;
export const move = {
  name: 'Move promise, tell clients',
  label: (partner: string) => `Move promise, tell clients of ${partner}`,
} as const;
