import { eventually, testStack } from '../support/stack';

const ADDRESS = {
  country: 'DE',
  firstName: 'Ada',
  lastName: 'Lovelace',
  addressLine1: 'Torstrasse 1',
  city: 'Berlin',
  postCode: '10119',
  email: 'ada@example.com',
  phone: '+49 30 901820',
};

test('a poster goes from submission to delivered', async () => {
  const stack = await testStack();
  const { id } = await stack.shop.submitOrder({
    body: {
      orderReferenceId: 'first',
      currency: 'EUR',
      shippingAddress: ADDRESS,
      items: [
        {
          itemReferenceId: 'poster',
          productUid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
          quantity: 1,
          files: [{ type: 'default', url: `${stack.sandbox.url}/files/poster-a3.pdf` }],
        },
      ],
    },
  });
  const order = await eventually(async () => {
    const seen = await stack.shop.getOrder({ params: { orderId: id } });
    if (['failed', 'on_hold'].includes(seen.fulfillmentStatus))
      throw new Error(JSON.stringify(seen, null, 1));
    return seen.fulfillmentStatus === 'shipped' ? seen : undefined;
  });
  console.log(JSON.stringify(order, null, 1));
  console.log(JSON.stringify(stack.sandbox.seen(), null, 1));
});
