import {
  cancelShippingOrderWorkflowId,
  orderWorkflowId,
  procurementWorkflowId,
  shippingOrderWorkflowId,
  takeBackShippingOrderWorkflowId,
  voidShipmentWorkflowId,
} from '../../../../src/platform/domain/workflows';
import { workflowDetails, workflowPage } from '../../../../src/platform/http/operator-page-urls';

const BASE = 'https://pressline.test';

test.each([
  [orderWorkflowId('o1'), '/console/orders/o1'],
  [shippingOrderWorkflowId('s1'), '/console/shipments?q=s1'],
  [cancelShippingOrderWorkflowId('s1'), '/console/shipments?q=s1'],
  [takeBackShippingOrderWorkflowId('s1'), '/console/shipments?q=s1'],
  [procurementWorkflowId(7), '/console/stock?procurementOrder=7'],
  [voidShipmentWorkflowId('x'), '/console/today'],
])('the static details of %s link to %s', (workflowId, page) => {
  expect(workflowDetails(BASE, workflowId)).toBe(`[Open in the Pressline console](${BASE}${page})`);
});

test('the page of a workflow in the Temporal UI, where there is one', () => {
  const config = { TEMPORAL_NAMESPACE: 'shop a', TEMPORAL_UI_URL: 'https://ui.test' };
  expect(workflowPage(config, 'order-1')).toBe('https://ui.test/namespaces/shop%20a/workflows/order-1');
  expect(workflowPage({ ...config, TEMPORAL_UI_URL: undefined }, 'order-1')).toBeNull();
});
