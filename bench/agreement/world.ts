import { createPresslineClient } from '../../client/pressline-client';
import { FURTHER_PARTNERS, type Place } from './goods';
import type { PriceParcels, Rates } from './ledger';
import type { Recipient } from './orders';
import { openPartnerDesk, type PartnerDesk } from './partner-desk';

export type ApiClient = ReturnType<typeof createPresslineClient>;

/** A running Pressline with four partners that accept everything, and its callers. */
export interface World {
  readonly client: ApiClient;
  readonly operator: ApiClient;
  readonly partners: Readonly<Record<string, ApiClient>>;
  readonly desk: PartnerDesk;
  readonly rates: Rates;
  readonly priceParcels: PriceParcels;
}

export interface Credentials {
  readonly client: { readonly apiKey: string; readonly apiSecret: string };
  readonly partners: readonly { readonly name: string; readonly apiKey: string }[];
  readonly operator: { readonly apiKey: string };
}

export const IOSS_NUMBER = 'IM2760000742';
const MANY = 1_000_000;

/** Sets up partners, stock and the client over HTTP. */
export async function openWorld(baseUrl: string, credentials: Credentials): Promise<World> {
  const connect = (keys: { readonly apiKey: string; readonly apiSecret?: string }) =>
    createPresslineClient({ baseUrl, ...keys, timeoutMs: 120_000 });
  const desk = await openPartnerDesk();
  const operator = connect(credentials.operator);
  const { partners: known } = await operator.listPartners();
  for (const { id } of known) {
    await operator.changePartner({ params: { partnerId: id }, body: { capabilities: { capacityPerDay: MANY } } });
  }
  const senders = new Map(known.map(({ uid, senderAddress }) => [uid, senderAddress]));
  const partners: Record<string, ApiClient> = Object.fromEntries(
    credentials.partners.map(({ name, apiKey }) => [name, connect({ apiKey })]),
  );
  for (const { models, ...setup } of FURTHER_PARTNERS) {
    const { country } = setup.senderAddress;
    const { apiKey } = await operator.createPartner({
      body: {
        ...setup,
        capabilities: {
          productKinds: ['print'],
          models,
          countriesServed: ['*'],
          calendar: { timeZone: 'UTC', workingDays: [1, 2, 3, 4, 5], cutOff: '23:59', holidays: { country } },
          capacityPerDay: MANY,
        },
      },
    });
    partners[setup.uid] = connect({ apiKey });
    senders.set(setup.uid, setup.senderAddress);
  }
  for (const [uid, partner] of Object.entries(partners)) {
    const at = (kind: string) => `${desk.url}/${uid}/${kind}`;
    await partner.subscribePartner({
      body: {
        orderSubmitUrl: at('orders'),
        orderCancelUrl: at('cancels'),
        orderUpdateUrl: at('updates'),
        documentTypes: 'all',
      },
    });
  }
  const stocked = { 'prints-berlin': 'frame-wood-oak-30x40', 'prints-ohio': 'tee-white-m' };
  for (const [uid, partnerSku] of Object.entries(stocked)) {
    await partners[uid]!.adjustStock({
      body: { adjustments: [{ partnerSku, adjustmentType: 'add', quantity: MANY }] },
    });
  }
  const { connectors } = await operator.listClients({});
  await operator.changeClient({
    params: { connectorId: connectors[0]!.id },
    body: {
      iossNumber: IOSS_NUMBER,
      fileChecks: { errors: 'warn', warnings: 'warn' },
      addressChecks: { errors: 'warn', warnings: 'warn' },
      billingEntity: { id: 1, companyName: 'Northern Walls GmbH', companyVatNumber: 'DE136695976' },
    },
  });
  const date = new Date().toISOString().slice(0, 10);
  const { rates } = await operator.getTaxRates({ params: { date } });
  const tax: Record<string, Record<string, string>> = {};
  for (const { country, category, rate } of rates) tax[country] = { ...tax[country], [category]: rate };
  const { perEuro } = await operator.getExchangeRates({ params: { date } });
  const client = connect(credentials.client);
  return {
    client,
    operator,
    partners,
    desk,
    rates: { tax, perEuro },
    priceParcels: pricesOver(client, (uid) => senders.get(uid)!),
  };
}

type Sender =
  | (typeof FURTHER_PARTNERS)[number]['senderAddress']
  | Awaited<ReturnType<ApiClient['listPartners']>>['partners'][number]['senderAddress'];

/** Prices parcels by the quotes of shipping methods, which know nothing of orders. Equal questions are asked once. */
function pricesOver(client: ApiClient, senderOf: (uid: string) => Sender): PriceParcels {
  const asked = new Map<string, Promise<Readonly<Record<string, number>>>>();
  return (partner, { place }, currency, parcels) => {
    const sizes = parcels.map(({ grams, sides }) => ({ grams, sides }));
    const key = JSON.stringify([partner, place.country, place.postCode, currency, sizes]);
    const known = asked.get(key);
    if (known !== undefined) return known;
    const prices = ask(client, senderOf(partner), place, currency, sizes);
    asked.set(key, prices);
    return prices;
  };
}

async function ask(
  client: ApiClient,
  { firstName, lastName, company, email, taxIds: _, ...sender }: Sender & { readonly taxIds?: object | undefined },
  { country, city, postCode: postcode, state, phone }: Place,
  currency: string,
  parcels: readonly { readonly grams: number; readonly sides: readonly [number, number, number] }[],
): Promise<Record<string, number>> {
  const { items } = await client.quoteShippingMethods({
    body: {
      orderReferenceId: 'price',
      currency,
      sender: { person: { firstName, lastName, company, email }, address: sender, customs: {} },
      receiver: {
        person: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone },
        address: {
          country,
          city,
          postcode,
          state,
          addressLine1: 'Main Street 1',
          street: 'Main Street',
          houseNumber: '1',
        },
      },
      packages: parcels.map(({ grams, sides: [length, width, height] }, index) => ({
        packageReferenceId: `P-${index + 1}`,
        grossWeight: grams,
        length,
        width,
        height,
        value: 1,
        items: [
          {
            itemReferenceId: 'goods',
            description: 'Goods',
            quantity: 1,
            value: 1,
            weight: 1,
            hsCode: '491191',
            countryOfOrigin: sender.country,
          },
        ],
      })),
    },
  });
  const digits = currency === 'JPY' ? 1 : 100;
  return Object.fromEntries(items.map(({ method }) => [method.uid, Math.round(method.price * digits)]));
}

export type { Recipient };
