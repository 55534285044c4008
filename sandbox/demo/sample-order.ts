import type { SubmitOrder } from '../../client/pressline-client';

/**
 * Returns the order that the demo submits: two products for a customer in Zurich, with print files from the sandbox. It
 * crosses a customs border, so it requires retail prices, customs documents and an invoice.
 */
export function sampleOrder(orderReferenceId: string, sandboxUrl: string): SubmitOrder {
  const file = (name: string) => ({ type: 'default', url: `${sandboxUrl}/files/${name}` });
  return {
    orderReferenceId,
    currency: 'EUR',
    retailCurrency: 'EUR',
    retailShippingPriceInclVat: 7.5,
    shipmentMethodUid: 'express',
    shippingAddress: {
      firstName: 'Ada',
      lastName: 'Lovelace',
      addressLine1: 'Spiegelgasse 14',
      city: 'Zürich',
      postCode: '8001',
      country: 'CH',
      email: 'ada@example.com',
      phone: '+41 44 555 01 23',
    },
    items: [
      {
        itemReferenceId: 'poster',
        productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
        quantity: 2,
        retailPriceInclVat: 24.9,
        files: [file('poster-a3.pdf')],
      },
      {
        itemReferenceId: 'mug',
        productUid: 'mug_product_msz_11-oz_mcl_white',
        quantity: 1,
        retailPriceInclVat: 16.5,
        files: [file('mug-wrap.png')],
      },
    ],
  };
}
