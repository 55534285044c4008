import type { Config } from '../config';
import { orderIdOfWorkflow } from '../domain/workflows';

/** Addresses of pages that people open: pages of the console, and pages of the Temporal UI. */

export const orderPage = (publicUrl: string, orderId: string) => `${publicUrl}/console/orders/${orderId}`;

export const attentionPage = (publicUrl: string, reason: string) =>
  `${publicUrl}/console/attention?reason=${encodeURIComponent(reason)}`;

export const deadLettersPage = (publicUrl: string, kind: string) =>
  `${publicUrl}/console/outbox?state=dead&kind=${encodeURIComponent(kind)}`;

export const systemPage = (publicUrl: string) => `${publicUrl}/console/system`;

/** Workflow ids of a shipping order: the purchase of its labels, its cancellation, and the void of a failed purchase. */
const SHIPPING_ORDER = /^(?:cancel-)?shipping-order-(.+)$|^take-back-(.+)$/;
const PROCUREMENT_ORDER = /^procurement-order-(\d+)$/;

function pageOfWorkflow(publicUrl: string, workflowId: string): string {
  const orderId = orderIdOfWorkflow(workflowId);
  if (orderId !== null) return orderPage(publicUrl, orderId);
  const shipping = SHIPPING_ORDER.exec(workflowId);
  if (shipping !== null) return `${publicUrl}/console/shipments?q=${encodeURIComponent(shipping[1] ?? shipping[2]!)}`;
  const procurement = PROCUREMENT_ORDER.exec(workflowId);
  if (procurement !== null) return `${publicUrl}/console/stock?procurementOrder=${procurement[1]}`;
  return `${publicUrl}/console/today`;
}

/** Returns the static details of a workflow in the Temporal UI, as Markdown: a link to its page in the console. */
export const workflowDetails = (publicUrl: string, workflowId: string) =>
  `[Open in the Pressline console](${pageOfWorkflow(publicUrl, workflowId)})`;

/** Returns the address of a workflow in the Temporal UI. Null when TEMPORAL_UI_URL is not set. */
export function workflowPage(
  { TEMPORAL_UI_URL: ui, TEMPORAL_NAMESPACE: namespace }: Pick<Config, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>,
  workflowId: string,
): string | null {
  if (ui === undefined) return null;
  return `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
