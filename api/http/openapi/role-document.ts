import type { Role } from '../../../src/accounts/account';
import { NOTIFICATION_EVENTS, OPERATOR_EVENTS } from '../../../src/notifications/domain/event-schemas';
import type { Route } from '../route';
import { openApiDocument } from './document';
import { EXAMPLE_FILE_URL } from './examples';

const EVENTS: Readonly<Record<Role, readonly string[]>> = {
  client: NOTIFICATION_EVENTS,
  partner: [],
  operator: OPERATOR_EVENTS,
};

/** Returns the routes that callers of a role may call, with the open routes among their tags. */
export function routesOf(role: Role, routes: readonly Route[]): Route[] {
  const own = routes.filter(({ access }) => access.credentials !== 'none' && access.roles.includes(role));
  const tags = new Set(own.map(({ tag }) => tag));
  return routes.filter((route) => own.includes(route) || (route.access.credentials === 'none' && tags.has(route.tag)));
}

/**
 * Returns the OpenAPI document of one role as JSON: its operations, and the messages that it receives.
 * @param sandboxUrl with it, the print file of the examples is one of the sandbox, so that they work when they are sent
 */
export function roleDocument(
  role: Role,
  routes: readonly Route[],
  { publicUrl, sandboxUrl }: { readonly publicUrl: string; readonly sandboxUrl: string | undefined },
): string {
  const { webhooks, ...document } = openApiDocument(routesOf(role, routes), publicUrl);
  const received = Object.entries(webhooks as object).filter(([event]) => EVENTS[role].includes(event));
  const text = JSON.stringify({ ...document, webhooks: Object.fromEntries(received) });
  return sandboxUrl === undefined ? text : text.replaceAll(EXAMPLE_FILE_URL, `${sandboxUrl}/files/poster-a3.pdf`);
}
