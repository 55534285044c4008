import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { shippingRoutes } from '../../../api/routes';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { domesticRequest, internationalRequest, withField } from './shipping-request';

/** The parts of a quote that tests read. */
interface Quoted {
  method: { uid: string; price: number };
}

let app: Express;
let client: TestAccount;

beforeAll(async () => {
  const { sql } = await testDatabase();
  const deps = await testApiDeps(sql);
  app = createApp(deps, shippingRoutes(deps));
  client = await testAccount(sql, 'client');
});

const quote = (body: object) => request(app).post('/v1/shipping-methods/quote').set(client.key).send(body);
const order = (body: object) => request(app).post('/v1/shipping-orders').set(client.key).send(body);
const errorsOf = (body: { errors?: { code: string; reference: string }[] }) =>
  (body.errors ?? []).map(({ code, reference }) => `${code} ${reference}`).sort();

describe('every request', () => {
  test.each([
    ['', ['orderReferenceId', 'currency', 'receiver', 'sender', 'packages']],
    ['receiver.', ['person', 'address']],
    ['receiver.person.', ['firstName', 'lastName']],
    ['receiver.address.', ['country', 'city', 'postcode', 'addressLine1']],
    ['sender.', ['person', 'address']],
    ['sender.person.', ['company']],
    ['sender.address.', ['country', 'city', 'postcode', 'addressLine1']],
    ['packages[0].', ['packageReferenceId', 'grossWeight', 'length', 'width', 'height']],
  ])('without the fields %s%j is refused with the path of each', async (parent, names) => {
    const paths = names.map((name) => `${parent}${name}`);
    const body = paths.reduce((left, path) => withField(left, path, undefined), domesticRequest());
    for (const response of [await quote(body), await order(body)]) {
      expect([response.status, response.body.code]).toEqual([400, 'VALIDATION_ERROR']);
      const missing = paths.map((path) => `MISSING_FIELD_ERROR ${path}`);
      expect(errorsOf(response.body)).toEqual(expect.arrayContaining(missing));
    }
  });

  test.each([
    ['', ['orderReferenceId', 'currency']],
    ['receiver.person.', ['firstName', 'lastName']],
    ['receiver.address.', ['city', 'postcode', 'addressLine1', 'country']],
    ['sender.person.', ['company']],
    ['packages[0].', ['packageReferenceId']],
  ])('with blank fields %s%j is refused', async (parent, names) => {
    const paths = names.map((name) => `${parent}${name}`);
    const response = await quote(paths.reduce((body, path) => withField(body, path, '  '), domesticRequest()));

    expect(response.status).toBe(400);
    const blank = paths.map((path) => `IS_BLANK_ERROR ${path}`);
    expect(errorsOf(response.body)).toEqual(expect.arrayContaining(blank));
  });

  test.each([
    ['options.weightUnit', 'stone', 'NO_SUCH_CHOICE_ERROR'],
    ['options.dimensionUnit', 'ft', 'NO_SUCH_CHOICE_ERROR'],
    ['options.label.format', 'docx', 'NO_SUCH_CHOICE_ERROR'],
    ['receiver.address.country', 'XX', 'NO_SUCH_CHOICE_ERROR'],
    ['sender.address.country', 'Atlantis', 'NO_SUCH_CHOICE_ERROR'],
    ['currency', 'EURO', 'NO_SUCH_CHOICE_ERROR'],
    ['currency', 'XAU', 'NO_SUCH_CHOICE_ERROR'],
    ['currency', 978, 'VALIDATION_ERROR'],
    ['orderReferenceId', 12, 'VALIDATION_ERROR'],
    ['orderReferenceId', 'x'.repeat(101), 'VALIDATION_ERROR'],
    ['receiver.person.email', 'not an address', 'VALIDATION_ERROR'],
    ['receiver.person.firstName', '\u{1F9D9}', 'VALIDATION_ERROR'],
    ['packages', [], 'VALIDATION_ERROR'],
    ['packages', 'one', 'VALIDATION_ERROR'],
    ['packages[0].grossWeight', 0, 'VALIDATION_ERROR'],
    ['packages[0].grossWeight', -1, 'VALIDATION_ERROR'],
    ['packages[0].grossWeight', '850', 'VALIDATION_ERROR'],
    ['packages[0].length', 0, 'VALIDATION_ERROR'],
    ['packages[0].netWeight', 851, 'VALIDATION_ERROR'],
    ['packages[0].volumetricWeight', -1, 'VALIDATION_ERROR'],
  ])('with %s as %j is refused with the path of the field (%s)', async (path, value, code) => {
    const response = await quote(withField(domesticRequest(), path, value));

    expect(response.status).toBe(400);
    expect(errorsOf(response.body)).toEqual([`${code} ${path}`]);
  });

  test.each([
    'receiver.person.firstName',
    'receiver.address.city',
    'receiver.address.addressLine2',
    'sender.person.company',
    'partner.clientName',
  ])('may have emoji in %s, but not emoji alone', async (path) => {
    expect((await quote(withField(domesticRequest(), path, 'Ann \u{1F389}'))).status).toBe(200);

    const refused = await quote(withField(domesticRequest(), path, '\u{1F389}\u{FE0F}'));
    expect(refused.status).toBe(400);
    expect(errorsOf(refused.body)).toEqual([`VALIDATION_ERROR ${path}`]);
  });

  test('may have unknown fields, nulls and no options', async () => {
    const { options: _, partner: __, ...body } = domesticRequest();
    const response = await quote({
      ...body,
      colour: 'red',
      partner: null,
      receiver: { ...body.receiver, customs: null },
    });

    expect(response.status).toBe(200);
  });
});

describe('address fields that some countries require', () => {
  test.each([
    ['DE', 'street'],
    ['DE', 'houseNumber'],
    ['AU', 'suburb'],
    ['NZ', 'suburb'],
  ])('an address in %s requires %s, for receivers and senders', async (country, field) => {
    const complete = {
      street: 'Main',
      houseNumber: '1',
      suburb: 'Newtown',
      city: 'Town',
      postcode: '1000',
      addressLine1: 'Main 1',
      country,
    };
    for (const party of ['receiver', 'sender']) {
      const body = withField(internationalRequest(), `${party}.address`, complete);

      expect((await quote(body)).status).toBe(200);
      expect(errorsOf((await quote(withField(body, `${party}.address.${field}`, undefined))).body)).toEqual([
        `MISSING_FIELD_ERROR ${party}.address.${field}`,
      ]);
      expect(errorsOf((await quote(withField(body, `${party}.address.${field}`, ' '))).body)).toEqual([
        `IS_BLANK_ERROR ${party}.address.${field}`,
      ]);
    }
  });
});

describe('international shipping', () => {
  test('accepts a complete request; a domestic request needs none of its fields', async () => {
    expect((await quote(internationalRequest())).status).toBe(200);
    expect((await quote(domesticRequest())).status).toBe(200);
  });

  test.each<[path: string, value: unknown, code: string]>([
    ['sender.customs', undefined, 'MISSING_FIELD_ERROR'],
    ['packages[0].value', undefined, 'MISSING_FIELD_ERROR'],
    ['packages[0].items', undefined, 'MISSING_FIELD_ERROR'],
    ...['itemReferenceId', 'description', 'quantity', 'value', 'weight', 'hsCode', 'countryOfOrigin'].map(
      (field): [string, undefined, string] => [`packages[0].items[0].${field}`, undefined, 'MISSING_FIELD_ERROR'],
    ),
    ['packages[0].items', [], 'MISSING_FIELD_ERROR'],
    ['packages[0].items[0].hsCode', '49', 'VALIDATION_ERROR'],
    ['packages[0].items[0].hsCode', 'posters', 'VALIDATION_ERROR'],
    ['packages[0].items[0].hsCode', '', 'IS_BLANK_ERROR'],
    ['packages[0].items[0].countryOfOrigin', 'ZZ', 'NO_SUCH_CHOICE_ERROR'],
    ['packages[0].items[0].quantity', 0, 'VALIDATION_ERROR'],
    ['packages[0].items[0].quantity', 1.5, 'VALIDATION_ERROR'],
    ['packages[0].items[0].value', -1, 'VALIDATION_ERROR'],
  ])('with %s as %j is refused with the path of the field', async (path, value, code) => {
    const response = await quote(withField(internationalRequest(), path, value));

    expect(errorsOf(response.body)).toEqual([`${code} ${path}`]);
  });

  test.each([
    [49, true],
    [49.49, true],
    [48.51, true],
    [49.5, false],
    [48.5, false],
    [0, false],
  ])('with items of 2 x 24.50, a package value of %d is accepted: %s', async (value, accepted) => {
    const response = await quote(withField(internationalRequest(), 'packages[0].value', value));

    expect(response.status).toBe(accepted ? 200 : 400);
    expect(errorsOf(response.body)).toEqual(accepted ? [] : ['VALIDATION_ERROR packages[0].value']);
  });

  test.each([
    ['EUR', 3, 0.33, 1, true],
    ['EUR', 3, 0.33, 1.02, false],
    ['JPY', 3, 33, 100, true],
    ['JPY', 3, 33, 102, false],
  ])(
    'in %s, with %d units of %d, a package value of %d is accepted: %s',
    async (currency, quantity, each, value, accepted) => {
      const body = { ...internationalRequest(), currency };
      Object.assign(body.packages[0]!, {
        value,
        items: [{ ...body.packages[0]!.items[0], quantity, value: each, weight: 200 }],
      });

      expect((await quote(body)).status).toBe(accepted ? 200 : 400);
    },
  );

  test('items that are heavier than their package are refused, in any unit', async () => {
    const body = withField(internationalRequest(), 'packages[0].items[0].weight', 425);
    expect((await quote(body)).status).toBe(200);

    for (const [weight, unit] of [
      [425.1, 'g'],
      [0.9, 'kg'],
    ] as const) {
      const heavy = withField(withField(body, 'packages[0].items[0].weight', weight), 'options.weightUnit', unit);
      const response = await order(
        unit === 'g'
          ? heavy
          : withField(withField(heavy, 'packages[0].grossWeight', 0.85), 'packages[0].netWeight', 0.8),
      );
      expect(errorsOf(response.body)).toEqual(['VALIDATION_ERROR packages[0].items']);
    }
  });

  test('accepts items without value in a package without value', async () => {
    const free = withField(internationalRequest(), 'packages[0].items[0].value', 0);

    expect((await quote(withField(free, 'packages[0].value', 0))).status).toBe(200);
  });

  test('a domestic package value is not compared with its items', async () => {
    const [pack] = internationalRequest().packages;

    expect((await quote({ ...domesticRequest(), packages: [{ ...pack, value: 1 }] })).status).toBe(200);
  });

  test('includes shipping between two EU countries', async () => {
    const body = withField(domesticRequest(), 'receiver.address', {
      country: 'FR',
      city: 'Paris',
      postcode: '75011',
      addressLine1: '12 rue Oberkampf',
    });

    expect(errorsOf((await quote(body)).body)).toEqual([
      'MISSING_FIELD_ERROR packages[0].items',
      'MISSING_FIELD_ERROR packages[0].value',
      'MISSING_FIELD_ERROR sender.customs',
    ]);
  });
});

test('an error names all invalid fields and the reference of the order', async () => {
  let body = internationalRequest();
  body.packages.push(structuredClone(body.packages[0]!));
  for (const [path, value] of [
    ['currency', 'euros'],
    ['receiver.person.lastName', ''],
    ['receiver.address.city', undefined],
    ['sender.customs', undefined],
    ['options.label.format', 'png'],
    ['packages[0].grossWeight', 'heavy'],
    ['packages[1].items[0].hsCode', undefined],
  ] as const) {
    body = withField(body, path, value);
  }

  const response = await order(withField(body, 'shippingMethod', { uid: 'corvid_post_parcel', tier: 'express' }));

  expect(response.status).toBe(400);
  expect(response.body.orderReferenceId).toBe(body.orderReferenceId);
  expect(errorsOf(response.body)).toEqual([
    'IS_BLANK_ERROR receiver.person.lastName',
    'MISSING_FIELD_ERROR packages[1].items[0].hsCode',
    'MISSING_FIELD_ERROR receiver.address.city',
    'MISSING_FIELD_ERROR sender.customs',
    'NO_SUCH_CHOICE_ERROR currency',
    'NO_SUCH_CHOICE_ERROR options.label.format',
    'VALIDATION_ERROR packages[0].grossWeight',
    'VALIDATION_ERROR packages[1].packageReferenceId',
    'VALIDATION_ERROR shippingMethod.tier',
  ]);
});

describe('quotes', () => {
  test('list every method with price and transit time, cheapest first', async () => {
    const response = await quote(domesticRequest());

    expect(response.status).toBe(200);
    const { items, count } = response.body;
    expect(count).toBe(items.length);
    expect(items.map((item: Quoted) => item.method.uid)).toEqual(
      expect.arrayContaining([
        'corvid_post_parcel',
        'corvid_post_tracked_packet',
        'merlin_express_domestic',
        'tern_parcel_domestic',
        'tern_parcel_express',
      ]),
    );
    const prices = items.map((item: Quoted) => item.method.price);
    expect(prices).toEqual([...prices].sort((a, b) => a - b));
    expect(items[0]).toEqual({
      carrier: { name: 'Tern Parcel', uid: 'tern_parcel' },
      method: {
        name: 'Domestic',
        uid: 'tern_parcel_domestic',
        price: 4.33,
        minShipmentDays: 1,
        maxShipmentDays: 3,
        deliveryPaddingDays: 0,
      },
    });
  });

  test('are an empty list when no method carries the packages', async () => {
    const response = await quote(withField(domesticRequest(), 'packages[0].grossWeight', 500_000));

    expect(response.status).toBe(200);
    expect(response.body).toEqual({ items: [], count: 0 });
  });

  test.each([
    [{ weightUnit: 'kg' }, { grossWeight: 0.85 }],
    [{ weightUnit: 'lb' }, { grossWeight: 1.8739 }],
    [{ weightUnit: 'oz' }, { grossWeight: 29.98 }],
    [{ dimensionUnit: 'cm' }, { length: 30, width: 20, height: 6 }],
    [{ dimensionUnit: 'in' }, { length: 11.811, width: 7.874, height: 2.362 }],
  ])('are the same for the same package in other units (%j)', async (options, change) => {
    const plain = domesticRequest();
    const inUnits = { ...plain, options, packages: [{ ...plain.packages[0], ...change }] };

    expect((await quote(inUnits)).body).toEqual((await quote(plain)).body);
  });

  const pricesOf = async (change: object) => {
    const plain = domesticRequest();
    const { body } = await quote({ ...plain, packages: [{ ...plain.packages[0], ...change }] });
    return Object.fromEntries(body.items.map(({ method }: Quoted) => [method.uid, method.price]));
  };

  test('bill a stated volumetric weight when it is above the computed one, by courier', async () => {
    // The sides compute 720 g, and the package weighs 850 g.
    const [plain, below, above] = [
      await pricesOf({}),
      await pricesOf({ volumetricWeight: 840 }),
      await pricesOf({ volumetricWeight: 2_000 }),
    ];

    expect(below).toEqual(plain);
    expect(above.corvid_post_parcel).toBe(plain.corvid_post_parcel);
    expect(plain.tern_parcel_domestic).toBe(4.33);
    expect(above.tern_parcel_domestic).toBe(5.2);
  });

  test('have a surcharge for tubes and cylinders', async () => {
    const [plain, box, tube, cylinder] = [
      await pricesOf({}),
      await pricesOf({ boxType: 'rectangle' }),
      await pricesOf({ boxType: 'Tube' }),
      await pricesOf({ boxType: 'cylinder' }),
    ];
    const added = Object.keys(plain).map((uid) => [uid, Math.round((tube[uid] - plain[uid]) * 100)]);

    expect(box).toEqual(plain);
    expect(cylinder).toEqual(tube);
    expect(Object.fromEntries(added)).toMatchObject({
      corvid_post_parcel: 250,
      corvid_post_tracked_packet: 150,
      merlin_express_domestic: 600,
      tern_parcel_domestic: 350,
      tern_parcel_express: 350,
    });
  });

  test.each([
    ['NO', ['corvid_post', 'merlin_express']],
    ['BR', ['corvid_post', 'merlin_express']],
    ['NP', ['merlin_express']],
    ['AQ', []],
  ])('from %s are of %j, and not of others that collect elsewhere', async (country, carriers) => {
    const { body } = await quote(withField(internationalRequest(), 'sender.address.country', country));

    const uids = new Set(body.items.map((item: { carrier: { uid: string } }) => item.carrier.uid));
    const known = ['corvid_post', 'merlin_express', 'tern_parcel'];
    expect(known.filter((uid) => uids.has(uid))).toEqual(carriers);
  });

  test('are in the requested currency', async () => {
    const euros = (await quote(domesticRequest())).body.items[0].method.price;
    const yen = (await quote({ ...domesticRequest(), currency: 'JPY' })).body.items[0].method.price;

    expect(yen).toBe(Math.round(euros * 184));
  });
});

describe('the method of a shipping order', () => {
  test.each([
    [{ uid: '', tier: '' }, 'MISSING_FIELD_ERROR shippingMethod.uid'],
    [{}, 'MISSING_FIELD_ERROR shippingMethod.uid'],
    [{ carrier: 'Tern Parcel' }, 'MISSING_FIELD_ERROR shippingMethod.uid'],
    [{ uid: 'corvid_post_parcel', tier: 'standard' }, 'VALIDATION_ERROR shippingMethod.tier'],
    [{ tier: 'overnight' }, 'NO_SUCH_CHOICE_ERROR shippingMethod.tier'],
    [{ uid: 'owl_mail' }, 'NO_SUCH_CHOICE_ERROR shippingMethod.uid'],
    [{ uid: 'corvid_post_balloon' }, 'NO_SUCH_CHOICE_ERROR shippingMethod.uid'],
    [{ uid: 'corvid_post_parcel', carrier: 'Tern Parcel' }, 'VALIDATION_ERROR shippingMethod.carrier'],
    [{ tier: 'standard', carrier: 'Owl Mail' }, 'NO_SUCH_CHOICE_ERROR shippingMethod.carrier'],
  ])('%j is refused', async (shippingMethod, error) => {
    const response = await order({ ...domesticRequest(), shippingMethod });

    expect(response.status).toBe(400);
    expect(errorsOf(response.body)).toEqual([error]);
  });

  test('of an unknown tier is refused with the tiers that there are', async () => {
    const { body } = await order({ ...domesticRequest(), shippingMethod: { tier: 'fast' } });
    expect(body.errors[0].message).toBe('Not one of the choices: standard, express.');
  });

  test('is required', async () => {
    const { shippingMethod: _, ...body } = domesticRequest();

    expect(errorsOf((await order(body)).body)).toEqual(['MISSING_FIELD_ERROR shippingMethod']);
  });

  test.each([
    [
      'a method that does not deliver to the receiver',
      { uid: 'tern_parcel_standard', tier: '' },
      850,
      'METHOD_NOT_AVAILABLE',
    ],
    ['a carrier that refuses the package', { carrier: 'Merlin Express' }, 500_000, 'METHOD_NOT_AVAILABLE'],
    ['no method at all', { tier: 'express' }, 500_000, 'NO_METHOD_AVAILABLE'],
  ])('%s ends with the carrier’s refusal', async (_, method, grossWeight, code) => {
    const body = withField(domesticRequest(), 'packages[0].grossWeight', grossWeight);
    const response = await order({ ...body, shippingMethod: { tier: 'standard', ...method } });

    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'PUBLIC_API_ERROR', detail: { code } });
  });
});
