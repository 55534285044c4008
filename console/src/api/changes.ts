import { type Query, useMutation, useQueryClient } from '@tanstack/react-query';
import { useConnection } from './connection';
import { newIdempotencyKey } from './idempotency-key';
import type { AnyInput, ApiResponse, Input, OperationId } from './types';

const ORDER = [
  'getOperatorOrder',
  'getOrder',
  'getOrderTimeline',
  'listOrderDocuments',
  'listSentPrintOrders',
  'listOperatorOrders',
  'getOperatorSummary',
] as const satisfies readonly OperationId[];
const DELIVERIES = ['listClientWebhookDeliveries', 'listClientWebhooks'] as const;
const OPERATORS = ['listOperators', 'listOperatorKeys'] as const;
const PARTNER = ['getPartner', 'listPartners'] as const;
const INBOX = ['listAllChannelOrders', 'countChannelOrders', 'getChannelOrder', 'getChannel', 'listChannels'] as const;
const CLIENT = ['getClient', 'getClientQuotas', 'listClients'] as const;
const ATTRIBUTES = ['listAttributes', 'listProductModels'] as const;

/**
 * The reading operations whose responses a change alters, beside the audit log. Of an operation with a parameter of the change,
 * such as the order's id, only the response for the same value is stale.
 */
const STALE_AFTER = {
  repairOrder: ORDER,
  cancelOrder: ORDER,
  updateShipment: ORDER,
  reprintOrder: ORDER,
  orderAgain: ORDER,
  reviveOrder: ORDER,
  makeClaim: ORDER,
  decideClaim: ORDER,
  replaceFile: ORDER,
  requestFile: ORDER,
  addOrderNote: ['listOrderNotes', 'getOrderTimeline'],
  redeliverOrderDelivery: ['listOrderDeliveries', 'getOrderTimeline', 'getOperatorSummary'],
  startBulkRepair: ['listBulkRepairs', ...ORDER],
  cancelBulkRepair: ['getBulkRepair', 'listBulkRepairs'],
  cancelShippingOrder: ['listOperatorShippingOrders', 'listParcels'],
  updateCustomerProduct: ['listCustomerProducts'],
  putAttribute: ATTRIBUTES,
  replaceAttributeValues: ATTRIBUTES,
  deleteAttributeValue: ATTRIBUTES,
  createProductModel: ['listProductModels'],
  updateProductModel: ['listProductModels', 'previewProductModel'],
  moveProcurementOrder: [
    'getProcurementOrder',
    'searchProcurementOrders',
    'listStockItemsOfPartners',
    'listStockMovements',
  ],
  correctStock: ['listStockItemsOfPartners', 'listStockMovements'],
  replayDeadMessages: ['listOutboxMessages', 'getOperatorSummary'],
  issueStatements: ['listStatements'],
  runJob: ['listJobs', 'getOperatorSummary'],
  confirmServers: ['getSystem'],
  createPartner: PARTNER,
  changePartner: PARTNER,
  createPartnerSubscription: PARTNER,
  pingPartner: ['listPartnerRequests', 'getPartnerHealth'],
  rotatePartnerKey: ['listPartnerKeys'],
  revokePartnerKey: ['listPartnerKeys'],
  createClient: CLIENT,
  changeClient: CLIENT,
  rotateClientKey: CLIENT,
  revokeClientKey: CLIENT,
  disableClientKeyEndpoints: ['getClientKeyUses', ...DELIVERIES],
  createClientWebhook: DELIVERIES,
  changeClientWebhook: DELIVERIES,
  testClientWebhook: DELIVERIES,
  redeliverClientWebhookDelivery: DELIVERIES,
  redeliverDeadClientWebhookDeliveries: DELIVERIES,
  createChannel: INBOX,
  changeChannel: INBOX,
  testChannel: INBOX,
  uploadChannelFile: ['listChannelFiles', ...INBOX],
  storeChannelMapping: ['listChannelMappings', ...INBOX],
  deleteChannelMapping: ['listChannelMappings'],
  retryChannelOrder: INBOX,
  ignoreChannelOrder: INBOX,
  correctChannelOrder: INBOX,
  retryChannelOrders: INBOX,
  ignoreChannelOrders: INBOX,
  createOperator: OPERATORS,
  changeOperator: OPERATORS,
  revokeOperator: OPERATORS,
  rotateOperatorKey: OPERATORS,
  revokeOperatorKey: OPERATORS,
  endSession: ['listSessions'],
  setSandboxBehaviour: ['getSandbox'],
  clearSandboxBehaviours: ['getSandbox'],
  setSandboxFileFault: ['getSandbox'],
  clearSandboxFileFault: ['getSandbox'],
  setSandboxLabelFault: ['getSandbox'],
  clearSandboxLabelFault: ['getSandbox'],
  sendSandboxPostback: ['getSandbox', ...ORDER],
  requestSandboxDispatch: ['getSandbox', ...ORDER],
  sendSandboxCarrierEvent: ['getSandbox', ...ORDER],
} as const satisfies Partial<Record<OperationId, readonly OperationId[]>>;

/** An operation that changes something. */
type ChangeId = keyof typeof STALE_AFTER;

/** A call that changes something. */
export interface Change<Result> {
  readonly operation: ChangeId;
  readonly input: AnyInput;
  /** Only the type is used. */
  readonly result?: Result;
}

/** Returns the call of an operation that changes something. */
export const change = <K extends ChangeId>(operation: K, input: Input<K>): Change<ApiResponse<K>> => ({
  operation,
  input,
});

/** Returns the test of the queries that a change makes stale. */
function isStaleAfter({ operation, input: { params: changed = {} } }: Change<unknown>) {
  const operations: readonly unknown[] = [...STALE_AFTER[operation], 'listAuditLog'];
  return ({ queryKey: [read, input] }: Query): boolean =>
    operations.includes(read) &&
    Object.entries((input as AnyInput | undefined)?.params ?? {}).every(
      ([name, value]) => !(name in changed) || changed[name] === value,
    );
}

/**
 * Returns the mutation that makes a change, or several one after the other, and reads again what they made stale.
 * @param idempotencyKey of every try of one change. Without it each try is a change of its own
 */
export function useChange<Variables, Result>(
  changeOf: (variables: Variables) => Change<Result> | readonly Change<Result>[],
  idempotencyKey?: string,
) {
  const { call } = useConnection();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (variables: Variables) => {
      let result: Result | undefined;
      for (const made of [changeOf(variables)].flat() as Change<Result>[]) {
        const options = { idempotencyKey: idempotencyKey ?? newIdempotencyKey() };
        try {
          result = (await call(made.operation, made.input as Input<ChangeId>, options)) as Result;
        } finally {
          // A call that failed may have made the change.
          void queries.invalidateQueries({ predicate: isStaleAfter(made) });
        }
      }
      return result as Result;
    },
  });
}
