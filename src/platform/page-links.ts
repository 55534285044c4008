import type { Config } from './config';

/** Addresses of pages that people open: pages of the console, and pages of the Temporal UI. */

/** Returns the address of an order's page in the console. */
export function orderPage(publicUrl: string, orderId: string): string {
  return `${publicUrl}/console/orders/${orderId}`;
}

/** Returns the address of the console's list of orders that need attention for a reason. */
export function attentionPage(publicUrl: string, reason: string): string {
  return `${publicUrl}/console/attention?reason=${encodeURIComponent(reason)}`;
}

/** Returns the address of the console's list of dead letters of a kind. */
export function deadLettersPage(publicUrl: string, kind: string): string {
  return `${publicUrl}/console/outbox?state=dead&kind=${encodeURIComponent(kind)}`;
}

/** Returns the address of the console's page of the system and its periodic jobs. */
export function systemPage(publicUrl: string): string {
  return `${publicUrl}/console/system`;
}

/** Returns the address of a workflow in the Temporal UI. Null when TEMPORAL_UI_URL is not set. */
export function workflowPage(
  {
    TEMPORAL_UI_URL: ui,
    TEMPORAL_NAMESPACE: namespace,
  }: Pick<Config, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>,
  workflowId: string,
): string | null {
  if (ui === undefined) return null;
  return `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
