import type { Route } from './route';

/** Converts `/v1/orders/{orderId}` to the form of Express: `/v1/orders/:orderId`. */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** Returns the names of a path's parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** Sorts literal segments before parameters, so that `/v1/orders/search` is not matched as an order id. */
export function bySpecificity(a: Pick<Route, 'path'>, b: Pick<Route, 'path'>): number {
  const [left, right] = [a.path.split('/'), b.path.split('/')];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const difference = Number(left[i]!.startsWith('{')) - Number(right[i]!.startsWith('{'));
    if (difference !== 0) return difference;
  }
  return 0;
}
