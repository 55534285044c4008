import type { PartnerCapabilities } from '../../src/partners/domain/capabilities';
import { createPartner, type Partner, partnerByAccount } from '../../src/partners/partner-rows';
import type { PartnerSetup } from '../../src/partners/partner-schemas';
import { inTransaction, type Sql } from '../../src/platform/postgres';

/** Converts rows of `[unit price in minor units, lead days]` to offers. */
const offers = (rows: Readonly<Record<string, readonly [number, number]>>): PartnerCapabilities['models'] =>
  Object.fromEntries(
    Object.entries(rows).map(([uid, [unitPriceMinor, leadDays]]) => [uid, { unitPriceMinor, leadDays }]),
  );

/**
 * The print partners of the embedded mode. Both make posters, cards, mugs and stickers. Only Berlin makes photo books
 * and framed posters, only Ohio makes t-shirts: one order can need both.
 */
const DEMO_SETUPS: readonly PartnerSetup[] = [
  {
    uid: 'prints-berlin',
    name: 'Prints Berlin',
    currency: 'EUR',
    enabled: true,
    printHouseUid: 'berlin-kreuzberg',
    senderAddress: {
      firstName: 'Versand',
      lastName: 'Prints Berlin',
      company: 'Prints Berlin GmbH',
      addressLine1: 'Ritterstraße 12',
      street: 'Ritterstraße',
      houseNumber: '12',
      city: 'Berlin',
      postcode: '10969',
      state: 'BE',
      country: 'DE',
      email: 'versand@prints-berlin.example',
      phone: '+49301234567',
      taxIds: { vatNumber: 'DE123456789', eoriNumber: 'DE1234567890123' },
    },
    capabilities: {
      productKinds: ['print', 'mounted'],
      models: offers({
        flat_product: [310, 1],
        card_product: [45, 1],
        mug_product: [330, 2],
        sticker_product: [60, 1],
        die_cut_sticker_product: [60, 1],
        photobook_hard_cover_product: [980, 3],
        framed_poster_product: [1_720, 2],
        fulfillment_service_product: [250, 1],
      }),
      countriesServed: ['*'],
      calendar: {
        timeZone: 'Europe/Berlin',
        workingDays: [1, 2, 3, 4, 5],
        cutOff: '14:00',
        holidays: { country: 'DE', state: 'BE' },
        closedDates: [],
      },
      capacityPerDay: 5_000,
    },
  },
  {
    uid: 'prints-ohio',
    name: 'Prints Ohio',
    currency: 'USD',
    enabled: true,
    printHouseUid: 'columbus-east',
    senderAddress: {
      firstName: 'Shipping',
      lastName: 'Prints Ohio',
      company: 'Prints Ohio LLC',
      addressLine1: '480 East Broad Street',
      city: 'Columbus',
      postcode: '43215',
      state: 'OH',
      country: 'US',
      email: 'shipping@prints-ohio.example',
      phone: '+16145550123',
      taxIds: {},
    },
    capabilities: {
      productKinds: ['print', 'apparel'],
      models: offers({
        flat_product: [360, 1],
        card_product: [52, 1],
        mug_product: [370, 2],
        sticker_product: [70, 1],
        die_cut_sticker_product: [70, 1],
        apparel_product: [820, 2],
      }),
      countriesServed: ['*'],
      calendar: {
        timeZone: 'America/New_York',
        workingDays: [1, 2, 3, 4, 5],
        cutOff: '13:00',
        holidays: { country: 'US', state: 'OH' },
        closedDates: [],
      },
      capacityPerDay: 3_000,
    },
  },
];

/**
 * Creates the demo partners that are missing. Existing partners keep what operators changed.
 * @param accounts accounts with the role partner. An account whose name is no demo partner's uid is skipped.
 */
export async function ensureDemoPartners(
  sql: Sql,
  accounts: readonly { readonly id: string; readonly name: string }[],
): Promise<Partner[]> {
  return await inTransaction(sql, async (tx) => {
    const partners: Partner[] = [];
    for (const setup of DEMO_SETUPS) {
      const account = accounts.find(({ name }) => name === setup.uid);
      if (account === undefined) continue;
      const partner = (await createPartner(tx, account.id, setup)) ?? (await partnerByAccount(tx, account.id));
      if (partner !== undefined) partners.push(partner);
    }
    return partners;
  });
}
