import type { Queryable } from '../../../src/platform/postgres';

/** Returns the `fulfillmentFacilityId` that clients read for a partner. */
export async function facilityOf(sql: Queryable, partnerUid: string): Promise<string> {
  const [partner] = await sql<{ id: string }[]>`SELECT account_id AS id FROM partners WHERE uid = ${partnerUid}`;
  return partner!.id;
}

/** The sender address of a print partner in Leeds. */
export const LEEDS_SENDER = {
  firstName: 'Dispatch',
  lastName: 'Desk',
  company: 'Prints Leeds Ltd',
  addressLine1: '1 Wharf Street',
  city: 'Leeds',
  postcode: 'LS2 7EQ',
  country: 'GB',
  email: 'dispatch@prints-leeds.example',
};

/** What the partner in Leeds can produce. */
export const LEEDS_CAPABILITIES = {
  productKinds: ['print'],
  models: { mug_product: { unitPriceMinor: 290, leadDays: 1 } },
  countriesServed: ['GB', 'IE'],
  calendar: {
    timeZone: 'Europe/London',
    workingDays: [1, 2, 3, 4, 5],
    cutOff: '12:30',
    holidays: { country: 'GB', state: 'ENG' },
  },
  capacityPerDay: 200,
};

/** Returns a valid body of POST /v1/partners. */
export const leedsPartner = (uid: string) => ({
  uid,
  name: 'Prints Leeds',
  currency: 'GBP',
  senderAddress: LEEDS_SENDER,
  capabilities: LEEDS_CAPABILITIES,
});
