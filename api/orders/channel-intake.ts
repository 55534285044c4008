import type { Account } from '../../src/accounts/account';
import { actorOf, writeAuditEntry } from '../../src/accounts/audit-log';
import { requireClient } from '../../src/accounts/clients';
import type { OrderIntake, Submitted } from '../../src/channels/submission';
import { submitUnlessConflict } from '../../src/orders/intake/submit';
import { type SubmitOrder, submitOrderSchema } from '../../src/orders/planning/order-schemas';
import { readOrders } from '../../src/orders/reading/order-reader';
import { flagOrder } from '../../src/orders/run/flags';
import { type FieldError, Refusal } from '../../src/platform/errors';
import { sha256 } from '../../src/platform/ids';
import { inTransaction, type Sql } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { fieldErrors } from '../http/field-errors';
import { canonicalJson } from '../http/json-body';
import { productsOfOrder } from './order-products';
import { cancelOrder, QUOTAS_OF, refusalOf } from './orders';
import { updateShipment } from './update-shipment';

/** Name under which the keys of channels' orders are kept, beside those of `submitOrder`. */
const OPERATION = 'channelOrder';

async function accountOf(sql: Sql, clientId: string): Promise<Account> {
  const { id, name } = await requireClient(sql, clientId);
  return { id, name, role: 'client', operatorRole: null };
}

/** Returns a body as `POST /v1/orders` accepts it, or its errors. */
function accepted(body: object): SubmitOrder | readonly FieldError[] {
  const result = submitOrderSchema.safeParse(body);
  return result.success ? result.data : fieldErrors(result.error, body);
}

/** Returns the errors of a refused body. @throws the error, when it is no such refusal */
function errorsOf(error: unknown): readonly FieldError[] {
  if (!(error instanceof Refusal) || error.status !== 400) throw error;
  return error.errors ?? [{ code: 'VALIDATION_ERROR', message: error.message, reference: '' }];
}

/** Returns the intake of the API for orders of channels: the same checks, quotas, changes and cancellations. */
export function createChannelIntake(deps: ApiDeps): OrderIntake {
  const { sql, runSettings, quotas, wake, metrics, log } = deps;
  const checked = async (clientId: string, body: object) => {
    const order = accepted(body);
    if (!('items' in order)) return { errors: order };
    const customer = { clientId, customerReferenceId: order.customerReferenceId };
    try {
      return { order, products: await productsOfOrder(sql, customer, order) };
    } catch (error) {
      return { errors: errorsOf(error) };
    }
  };
  return {
    async check(clientId, body) {
      const result = await checked(clientId, body);
      return 'errors' in result ? result.errors : [];
    },
    async submit(clientId, body, key, record): Promise<Submitted> {
      const result = await checked(clientId, body);
      if ('errors' in result) return { outcome: 'refused', errors: result.errors };
      const { name: clientName } = await requireClient(sql, clientId);
      const claim = { accountId: clientId, operationId: OPERATION, key, fingerprint: sha256(canonicalJson(body)) };
      const submission = { clientId, clientName, requestId: key, claim, ...result };
      try {
        const stored = await quotas.using(clientId, QUOTAS_OF.order, () =>
          inTransaction(sql, async (tx) => {
            const submitted = await submitUnlessConflict(tx, submission, runSettings);
            if (submitted !== 'key-taken' && 'id' in submitted) await record(tx, submitted.id);
            return submitted;
          }),
        );
        if (stored === 'key-taken') return { outcome: 'duplicate', message: 'An order was submitted under its key.' };
        if ('conflict' in stored) return { outcome: 'duplicate', message: refusalOf(stored).message };
        metrics.count('pressline_orders_accepted_total', {});
        wake('start_workflow');
        return { outcome: 'submitted' };
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'QUOTA_EXCEEDED') throw error;
        return { outcome: 'later', retryAfterSeconds: error.retryAfter ?? 60 };
      }
    },
    async change(clientId, orderId, { body, leftOut, key }) {
      const account = await accountOf(sql, clientId);
      const context = { actor: actorOf(account), requestId: key, address: null };
      const call = {
        account,
        requestId: key,
        log,
        quotas,
        audit: (tx: Parameters<typeof writeAuditEntry>[0], change: Parameters<typeof writeAuditEntry>[2]) =>
          writeAuditEntry(tx, context, change),
        intend: async () => undefined,
        unaudited: () => undefined,
      };
      const missed: string[] = [];
      /** Makes a change, and notes when it is too late for it. */
      const unlessLate = async (what: string, change: () => Promise<unknown>) => {
        await change().catch((error: unknown) => {
          if (!(error instanceof Refusal) || error.status >= 500) throw error;
          missed.push(`${what}: ${error.errors?.[0]?.message ?? error.message}`);
        });
      };
      const [before] = await readOrders(sql, [orderId]);
      if (before === undefined) return { missed: ['The order is archived, and cannot be changed.'] };
      if (before.fulfillmentStatus === 'failed') return 'failed';
      const cancel = (what: string, items: Parameters<typeof cancelOrder>[2]['items'], cancelId: string) =>
        unlessLate(what, async () => {
          const request = { reason: 'cancelled in the channel', ...(items === undefined ? {} : { items }) };
          await cancelOrder(deps, before, request, { ...call, by: 'client', force: false, cancelId });
        });
      if (leftOut === 'all') {
        await cancel('The cancellation', undefined, key);
        return { missed };
      }
      const order = accepted(body);
      if (!('items' in order)) return { errors: order };
      const { shippingAddress, shipmentMethodUid } = order;
      const change = { shippingAddress, shipmentMethodUid };
      await unlessLate('The address or method', () => updateShipment(deps, before, change, call));
      for (const { itemReferenceId, quantity } of leftOut)
        await cancel(`Item ${itemReferenceId}`, [{ itemReferenceId, quantity }], `${key} ${itemReferenceId}`);
      return { missed };
    },
    async flagMissed(orderId, message) {
      // Each revision has its own message.
      await flagOrder(sql, orderId, 'channel_change_missed', message, { replaces: { text: '', olderThanMs: 0 } });
    },
  };
}
