/** A shipment in the shape of EasyPost's API. */
interface Shipment {
  id: string;
  reference: string | null;
  rates: object[];
  selected_rate: object | null;
  postage_label: { label_url: string } | null;
  tracking_code: string | null;
  tracker: { public_url: string } | null;
  refund_status: string | null;
  messages: object[];
}

export interface EasyPostResponse {
  readonly status: number;
  readonly body: unknown;
  /** Bytes of a label, in place of a JSON body. */
  readonly raw?: string;
}

const SERVICES = [
  ['USPS', 'GroundAdvantage', '7.58', 4],
  ['USPS', 'Express', '31.40', 1],
  ['UPSDAP', 'Ground', '11.25', 3],
  ['DHLExpress', 'ExpressWorldwide', '84.10', 3],
] as const;
/** Parcels above this weight have no rates. */
const MAX_OUNCES = 1_120;

const error = (status: number, code: string, message: string): EasyPostResponse => ({
  status,
  body: { error: { code, message, errors: [] } },
});
const notFound = () => error(404, 'NOT_FOUND', 'The requested resource could not be found.');

/** Verifies an address. The street Nowhere does not exist, and Nowere is a misspelling of it. */
function verified(address: { street1?: string }): object {
  const street = /nowh?ere/i.exec(address.street1 ?? '')?.[0];
  const fault = { code: 'E.ADDRESS.NOT_FOUND', field: 'address', message: 'Address not found', suggestion: null };
  const typed = { ...fault, field: 'street1', suggestion: '1 Nowhere Street' };
  const errors = street === undefined ? [] : [/wh/i.test(street) ? fault : typed];
  return { id: 'adr_1', ...address, verifications: { delivery: { success: errors.length === 0, errors } } };
}

/** The shipments and trackers of one EasyPost account. Responses follow EasyPost's documentation. */
export class EasyPostAccount {
  private readonly shipments = new Map<string, Shipment>();
  private readonly trackers = new Map<string, { tracking_details: object[] }>();
  /** The shipments that were requested, for quotes and purchases. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read single fields
  readonly created: any[] = [];
  /** Rates that are offered before the usual ones. */
  oddRates: readonly object[] = [];
  private serial = 0;

  /**
   * @param url returns the address of the labels
   * @param priceFactor multiplies the prices, so that a test can decide whether these methods are the cheapest
   */
  constructor(
    private readonly url: () => string,
    private readonly priceFactor = 1,
  ) {}

  /** Performs an API call and returns its response. */
  // biome-ignore lint/suspicious/noExplicitAny: request bodies of the client
  handle(method: string, path: string, body: any): EasyPostResponse {
    const [, resource, id, action] = path.split('/').map(decodeURIComponent);
    if (resource === 'label') return { status: 200, body: null, raw: `%PDF-1.4\n% label ${id}` };
    if (resource === 'trackers' && method === 'POST') return this.tracker(body.tracker.tracking_code);
    if (resource === 'addresses' && method === 'POST') return { status: 200, body: verified(body.address) };
    if (resource !== 'shipments') return notFound();
    if (method === 'POST' && id === undefined) {
      this.created.push(body.shipment);
      return this.create(body.shipment);
    }
    const shipment = id === undefined ? undefined : this.find(id);
    if (shipment === undefined) return notFound();
    if (method === 'GET') return { status: 200, body: shipment };
    if (action === 'buy') return this.buy(shipment, body.rate.id);
    if (action === 'refund') {
      shipment.refund_status = 'submitted';
      return { status: 200, body: shipment };
    }
    return notFound();
  }

  /** Returns every purchased label. */
  purchases(): { readonly trackingNumber: string; readonly voided: boolean }[] {
    return [...this.shipments.values()].flatMap(({ tracking_code, refund_status }) =>
      tracking_code === null ? [] : [{ trackingNumber: tracking_code, voided: refund_status !== null }],
    );
  }

  /** Adds the tracker of a parcel that was not bought from EasyPost. */
  addTracker(code: string): void {
    this.trackers.set(code, trackerOf(code));
  }

  /** Adds a tracking detail to a tracker. */
  addTrackingDetail(code: string, status: string, datetime: string, message = `now ${status}`): void {
    this.trackers.get(code)!.tracking_details.push({
      status,
      message,
      datetime,
      tracking_location: { city: 'CHICAGO', state: 'IL', country: 'US' },
    });
  }

  private find(idOrReference: string): Shipment | undefined {
    return (
      this.shipments.get(idOrReference) ??
      [...this.shipments.values()].find(({ reference }) => reference === idOrReference)
    );
  }

  private tracker(code: string): EasyPostResponse {
    const tracker = this.trackers.get(code);
    return tracker ? { status: 200, body: tracker } : error(422, 'TRACKER.CREATE.ERROR', 'unknown tracking code');
  }

  private create(shipment: {
    reference?: string;
    parcel: { weight: number };
    to_address: { zip: string };
  }): EasyPostResponse {
    if (shipment.to_address.zip === '00000') {
      return error(422, 'ADDRESS.VERIFY.FAILURE', 'Unable to verify address.');
    }
    const created: Shipment = {
      id: `shp_${++this.serial}`,
      reference: shipment.reference ?? null,
      rates: [
        ...this.oddRates,
        ...(shipment.parcel.weight > MAX_OUNCES ? [] : SERVICES.map((service) => this.rate(service))),
      ],
      selected_rate: null,
      postage_label: null,
      tracking_code: null,
      tracker: null,
      refund_status: null,
      messages: [],
    };
    this.shipments.set(created.id, created);
    return { status: 201, body: created };
  }

  private rate([carrier, service, rate, days]: (typeof SERVICES)[number]): object {
    return {
      id: `rate_${++this.serial}`,
      object: 'Rate',
      carrier,
      service,
      rate: (Number(rate) * this.priceFactor).toFixed(2),
      currency: 'USD',
      delivery_days: days,
      est_delivery_days: days,
    };
  }

  private buy(shipment: Shipment, rateId: string): EasyPostResponse {
    if (shipment.postage_label) {
      return error(422, 'SHIPMENT.POSTAGE.EXISTS', 'Postage already exists for this shipment.');
    }
    const code = `9400100${String(++this.serial).padStart(15, '0')}`;
    shipment.selected_rate = shipment.rates.find((rate) => (rate as { id: string }).id === rateId) ?? null;
    shipment.postage_label = { label_url: `${this.url()}/label/${shipment.id}.pdf` };
    shipment.tracking_code = code;
    shipment.tracker = { public_url: `https://track.easypost.example/${code}` };
    this.trackers.set(code, trackerOf(code));
    return { status: 200, body: shipment };
  }
}

function trackerOf(code: string) {
  return {
    object: 'Tracker',
    tracking_code: code,
    carrier: 'USPS',
    est_delivery_date: '2026-02-03T00:00:00Z',
    tracking_details: [
      {
        status: 'pre_transit',
        message: 'Shipping label created',
        datetime: '2026-02-01T08:00:00Z',
        tracking_location: { city: null, state: null, country: null },
      },
    ] as object[],
  };
}
