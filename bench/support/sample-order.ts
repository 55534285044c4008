/** Returns the order of the benchmarks: one poster, with all fields that clients usually send. */
export function sampleOrder(reference: string, fileUrl: string) {
  return {
    orderReferenceId: reference,
    currency: 'EUR',
    shippingAddress: {
      country: 'DE',
      firstName: 'Grace',
      lastName: 'Hopper',
      addressLine1: 'Teststrasse 12',
      city: 'Berlin',
      postCode: '10119',
      email: 'grace@example.com',
      phone: '+49 30 901820',
    },
    items: [
      {
        itemReferenceId: 'poster',
        productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
        quantity: 1,
        files: [{ type: 'default', url: fileUrl }],
      },
    ],
  };
}
