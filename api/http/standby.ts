import type { Standby } from '../../src/platform/standby';
import type { Route } from './route';

/**
 * Returns the routes, of which those with `onStandby` read the standby. They read the primary while the standby lags, and
 * again when the standby fails.
 * @param onStandby the same routes, made with the connections to the standby
 */
export function readingStandby(routes: readonly Route[], onStandby: readonly Route[], standby: Standby): Route[] {
  const others = new Map(onStandby.map((route) => [route.operationId, route]));
  return routes.map((route) => {
    const other = others.get(route.operationId)!;
    if (!route.onStandby) return route;
    return {
      ...route,
      accept: (sent) => {
        const read = other.accept(sent);
        return (call, account) =>
          standby.read(
            () => read(call, account),
            () => route.accept(sent)(call, account),
          );
      },
    };
  });
}
