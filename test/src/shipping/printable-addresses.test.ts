import request from 'supertest';
import { createApp } from '../../../api/app';
import { operatorPartnerRoutes } from '../../../api/operator/partners/partners';
import { fields, type OrdersApi, ordersApi } from '../../api/orders/orders-api';
import { address, order } from '../../api/orders/sample-orders';
import { testApiDeps } from '../../support/api-deps';
import { LEEDS_SENDER, leedsPartner } from '../../support/rows/partner-setup';

/**
 * Addresses of orders and partners are printed on labels. Signs that no font has are stored and not printed; a line
 * that consists of them is refused. Letters that no font has hold the order (`address-checks.test.ts`).
 */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

const WIZARD = '\u{1F9D9}';
const CUNEIFORM = '\u{12000}';

const RECEIVER_FIELDS = [
  'firstName',
  'lastName',
  'companyName',
  'addressLine1',
  'addressLine2',
  'city',
  'postCode',
  'state',
];
const inEvery = (names: readonly string[], text: string) => Object.fromEntries(names.map((name) => [name, text]));
const refusals = (names: readonly string[], within: string) =>
  names.map((name) => `VALIDATION_ERROR ${within}.${name}`).sort();

describe('the delivery address of an order', () => {
  test.each([WIZARD, CUNEIFORM])(
    'with %s beside printable text is accepted, and stored as it is',
    async (character) => {
      const shippingAddress = address(inEvery(RECEIVER_FIELDS, `Haus ${character}`));

      const response = await api.submit(order({ orderReferenceId: character, shippingAddress }));

      expect(response.status).toBe(200);
      const { body } = await api.get(response.body.id);
      expect(body.shippingAddress).toMatchObject(inEvery(RECEIVER_FIELDS, `Haus ${character}`));
    },
  );

  test('with nothing but signs in its fields is refused, and the error names each field', async () => {
    const response = await api.submit(
      order({ shippingAddress: address(inEvery(RECEIVER_FIELDS, `${WIZARD} ${WIZARD}`)) }),
    );

    expect(response.status).toBe(400);
    expect(fields(response.body)).toEqual(refusals(RECEIVER_FIELDS, 'shippingAddress'));
  });

  test('with nothing but letters that no font has is accepted, because an operator or another address can mend it', async () => {
    const shippingAddress = address(inEvery(RECEIVER_FIELDS, `${CUNEIFORM} ${CUNEIFORM}`));

    const response = await api.submit(order({ orderReferenceId: 'unprintable', shippingAddress }));

    expect(response.status).toBe(200);
  });

  test('follows the same rule in drafts, in changed drafts and in changed shipments', async () => {
    const shippingAddress = address({ city: WIZARD });
    const draft = await api.submit(order({ orderReferenceId: 'draft', orderType: 'draft' }));
    const placed = await api.submit(order({ orderReferenceId: 'placed' }));
    const responses = [
      await api.submit(order({ orderType: 'draft', shippingAddress })),
      await api.patch(draft.body.id, { shippingAddress }),
      await request(api.app)
        .put(`/v1/orders/${placed.body.id}/shipment`)
        .set(api.client.keyAndSecret)
        .send({ shippingAddress }),
    ];

    for (const response of responses) {
      expect(response.status).toBe(400);
      expect(fields(response.body)).toEqual(['VALIDATION_ERROR shippingAddress.city']);
    }
    const printed = await api.patch(draft.body.id, { shippingAddress: address({ city: `Ulm ${WIZARD}` }) });
    expect(printed.status).toBe(200);
  });

  test.each([
    [
      'Japanese',
      { country: 'JP', firstName: '太郎', lastName: '山田', addressLine1: '銀座4丁目5番6号', city: '中央区' },
    ],
    ['Arabic', { country: 'AE', firstName: 'أحمد', lastName: 'الهاشمي', addressLine1: 'شارع الشيخ زايد', city: 'دبي' }],
    [
      'Greek',
      {
        country: 'GR',
        firstName: 'Ελένη',
        lastName: 'Παπαδοπούλου',
        addressLine1: 'Βασιλίσσης Σοφίας 12',
        city: 'Αθήνα',
      },
    ],
    [
      'Ukrainian',
      {
        country: 'UA',
        firstName: 'Олександр',
        lastName: 'Шевченко',
        addressLine1: 'вулиця Хрещатик, 22',
        city: 'Київ',
      },
    ],
    [
      'Vietnamese',
      {
        country: 'VN',
        firstName: 'Nguyễn',
        lastName: 'Thị Hạnh',
        addressLine1: '12 Đường Láng',
        city: 'Hà Nội',
      },
    ],
  ])('in %s is accepted', async (name, change) => {
    const response = await api.submit(order({ orderReferenceId: name, shippingAddress: address(change) }));

    expect(response.status).toBe(200);
  });
});

describe('the sender address of a partner', () => {
  const setUp = async (uid: string, senderAddress: object) => {
    const deps = await testApiDeps(api.sql);
    return await request(createApp(deps, operatorPartnerRoutes(deps)))
      .post('/v1/partners')
      .set(api.operator.key)
      .send({ ...leedsPartner(uid), senderAddress });
  };

  test('is refused with a line that cannot be printed, in tax ids too, and the error names each field', async () => {
    const names = ['firstName', 'lastName', 'company', 'addressLine1', 'addressLine2', 'city', 'postcode', 'state'];

    const response = await setUp('prints-wizard', {
      ...LEEDS_SENDER,
      ...inEvery(names, WIZARD),
      taxIds: { eoriNumber: WIZARD },
    });

    expect(response.status).toBe(400);
    expect(fields(response.body)).toEqual(refusals([...names, 'taxIds.eoriNumber'], 'senderAddress'));
  });

  test('is accepted in any script that labels can print', async () => {
    expect(
      (await setUp('prints-tokyo', { ...LEEDS_SENDER, company: '株式会社サンプル印刷', city: '中央区' })).status,
    ).toBe(200);
  });
});
