/** Nested fields of a request that tests change by path. */
// biome-ignore lint/suspicious/noExplicitAny: tests change fields by path
export type Fields = Record<string, any>;

/** Returns a valid request of the shipping group: one package from Berlin to Munich. */
export function domesticRequest() {
  return {
    orderReferenceId: `ref-${Math.random().toString(36).slice(2)}`,
    currency: 'EUR',
    options: { weightUnit: 'g', dimensionUnit: 'mm', label: { format: 'pdf' } },
    partner: { clientName: 'Northern Walls' },
    shippingMethod: { tier: 'standard', uid: '' },
    receiver: {
      person: { firstName: 'Anneliese', lastName: 'Großmann', email: 'a@example.com', phone: '+4989987654' },
      address: {
        country: 'DE',
        city: 'München',
        postcode: '80331',
        addressLine1: 'Sendlinger Straße 8',
        street: 'Sendlinger Straße',
        houseNumber: '8',
      },
    } as Fields,
    sender: {
      person: { company: 'Druckhaus Spree GmbH', firstName: 'Jörg', lastName: 'Weiß', phone: '+49301234567' },
      address: {
        country: 'DE',
        city: 'Berlin',
        postcode: '10997',
        addressLine1: 'Köpenicker Straße 154a',
        street: 'Köpenicker Straße',
        houseNumber: '154a',
      },
    } as Fields,
    packages: [{ packageReferenceId: 'pkg-1', grossWeight: 850, length: 300, width: 200, height: 60 } as Fields],
  };
}

/** Returns a valid international request: one package from Berlin to Chicago. */
export function internationalRequest() {
  const request = domesticRequest();
  request.receiver = {
    person: { firstName: 'Maria', lastName: 'Gonzalez', email: 'maria@example.com', phone: '+13125550188' },
    address: {
      country: 'US',
      state: 'IL',
      city: 'Chicago',
      postcode: '60607',
      addressLine1: '1420 W Fulton Market',
    },
  };
  request.sender.customs = { eoriNumber: 'DE123456789012345', vatNumber: 'DE123456789' };
  request.packages = [
    {
      ...request.packages[0],
      netWeight: 760,
      value: 49,
      items: [
        {
          itemReferenceId: 'item-1',
          description: 'Framed poster 30x40 cm',
          quantity: 2,
          value: 24.5,
          weight: 380,
          hsCode: '4911.91',
          countryOfOrigin: 'DE',
        },
      ],
    },
  ];
  return request;
}

/** Returns a copy with one field set, or removed for undefined. Paths are those of `errors[].reference`. */
export function withField<T extends object>(request: T, path: string, value: unknown): T {
  const copy = structuredClone(request) as Fields;
  const steps = path.split(/[.[\]]+/).filter(Boolean);
  const last = steps.pop()!;
  let place: Fields = copy;
  for (const step of steps) place = place[step] ??= {};
  if (value === undefined) delete place[last];
  else place[last] = value as Fields;
  return copy as T;
}
