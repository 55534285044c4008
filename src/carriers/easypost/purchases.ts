import type { SafeClient } from '../../platform/http/safe-client';
import { type BuyOutcome, CarrierUnavailable, type PurchaseRequest, type VoidOutcome } from '../carrier';
import { type ApiFault, type EasyPostApi, type EasyPostShipment, isRefusal, unavailable } from './api';
import { shipmentParameters } from './parameters';
import { carrierOfMethod, carrierUidOf, methodNameOf, methodUidOf, rateMoney } from './rates';

const LABEL_START = /^\s*(%PDF-|\^XA|CT~~)/;
const LABEL_LIMIT_BYTES = 10 * 1024 * 1024;

export interface PurchaseDeps {
  readonly api: EasyPostApi;
  /** Downloads labels, which EasyPost stores outside its API. */
  readonly client: SafeClient;
  readonly timeoutMs: number;
}

/**
 * Buys the label of one package. The idempotency key is the shipment's reference at EasyPost: a repeated purchase finds
 * the shipment by it and returns its label.
 * @throws CarrierUnavailable when the outcome is not known
 */
export async function buyFromEasyPost(deps: PurchaseDeps, request: PurchaseRequest): Promise<BuyOutcome> {
  const { api } = deps;
  const { consignment, packageIndex, methodUid, idempotencyKey, labelFormat, signal } = request;
  const pack = consignment.packages[packageIndex]!;
  try {
    let shipment = await api.shipmentByReference(idempotencyKey);
    signal?.throwIfAborted();
    if (shipment === null) {
      shipment = await api.createShipment({
        ...shipmentParameters(consignment, pack, { labelFormat, carrier: carrierOfMethod(methodUid) }),
        reference: idempotencyKey,
      });
      signal?.throwIfAborted();
    }
    if (shipment === null) throw unavailable('the shipment could not be created');
    if (shipment.postage_label) return await purchaseOf(deps, shipment);
    const rate = shipment.rates.find((each) => methodUidOf(each) === methodUid);
    if (rate === undefined) {
      return {
        ok: false,
        refusal: {
          code: 'METHOD_NOT_AVAILABLE',
          message: `EasyPost has no rate for ${methodUid}.`,
          detail: { messages: shipment.messages ?? [] },
        },
      };
    }
    const bought = await api.buy(shipment.id, rate.id);
    if (bought === null) throw unavailable('the shipment no longer exists');
    return await purchaseOf(deps, bought);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // An earlier attempt bought the label and lost the response.
    if (error.code === 'SHIPMENT.POSTAGE.EXISTS') {
      const shipment = await api.shipmentByReference(idempotencyKey);
      if (shipment?.postage_label) return await purchaseOf(deps, shipment);
    }
    return refused(error);
  }
}

/** Refunds the label of a key, if there is one. @throws CarrierUnavailable when the outcome is not known */
export async function voidAtEasyPost(api: EasyPostApi, idempotencyKey: string): Promise<VoidOutcome> {
  try {
    const shipment = await api.shipmentByReference(idempotencyKey);
    if (!shipment?.postage_label || shipment.refund_status) return { ok: true };
    await api.refund(shipment.id);
    return { ok: true };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { ok: false, reason: error.message };
  }
}

function refused(fault: ApiFault): BuyOutcome {
  return {
    ok: false,
    refusal: {
      code: fault.code ?? 'REFUSED',
      message: fault.message,
      ...(fault.errors ? { detail: { errors: fault.errors } } : {}),
    },
  };
}

async function purchaseOf(deps: PurchaseDeps, shipment: EasyPostShipment): Promise<BuyOutcome> {
  const { selected_rate: rate, postage_label: label, tracking_code: trackingNumber } = shipment;
  if (!rate || !label || !trackingNumber) {
    throw unavailable('the purchase has no rate, label or tracking code');
  }
  if (shipment.refund_status) {
    return { ok: false, refusal: { code: 'PURCHASE_VOIDED', message: 'This purchase was voided.' } };
  }
  const zpl = label.label_url.toLowerCase().includes('.zpl');
  return {
    ok: true,
    purchase: {
      carrierUid: carrierUidOf(rate),
      carrierName: rate.carrier,
      methodName: methodNameOf(rate),
      trackingNumber,
      trackingUrl: shipment.tracker?.public_url ?? `https://track.easypost.com/${encodeURIComponent(trackingNumber)}`,
      cost: rateMoney(rate),
      label: {
        kind: 'made',
        contentType: zpl ? 'application/zpl' : 'application/pdf',
        body: await downloadLabel(deps, label.label_url),
      },
      customsForm: 'commercial',
      tracking: 'polled',
    },
  };
}

/**
 * Returns the bytes of a label. Labels are downloaded over keep-alive connections, and the host may close an idle one at
 * the moment of the next request: after a broken connection the download is therefore repeated once.
 * @throws CarrierUnavailable
 */
async function downloadLabel({ client, timeoutMs }: PurchaseDeps, url: string): Promise<Buffer> {
  const request = { url, timeoutMs, limitBytes: LABEL_LIMIT_BYTES };
  let response = await client.request(request);
  if (!response.ok && response.kind === 'connection') response = await client.request(request);
  if (!response.ok) throw unavailable(`the label could not be downloaded: ${response.message}`);
  try {
    const body = Buffer.concat(await response.body.toArray());
    if (response.status !== 200 || !LABEL_START.test(body.subarray(0, 32).toString('latin1'))) {
      throw unavailable(`the downloaded label is not a PDF or ZPL file: status ${response.status}`);
    }
    return body;
  } catch (error) {
    throw error instanceof CarrierUnavailable ? error : unavailable('the label could not be downloaded', error);
  }
}
