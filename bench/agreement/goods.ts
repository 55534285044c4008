/** What the generated orders are made of, as the pages for clients state it. The expected prices follow from these tables. */

/** A product, with what its price and its parcels depend on. */
export interface Good {
  readonly uid: string;
  readonly files: readonly string[];
  /** Products of one kind are one print order at a partner. */
  readonly kind: 'print' | 'apparel' | 'mounted';
  readonly model: string;
  readonly tax: 'standard' | 'books';
  readonly grams: number;
  readonly sides: readonly [number, number, number];
  /** Rolled products nest in one tube. */
  readonly isRolled?: true;
  readonly unitsPerPackage: number;
  readonly packagingGrams: number;
  readonly hsCode: string;
  /** Quantity breaks: from, and the price of a unit in euro cents, US cents and pence. */
  readonly prices: readonly (readonly [from: number, eur: number, usd: number, gbp: number])[];
}

const POSTER = {
  files: ['default'],
  kind: 'print',
  model: 'poster',
  tax: 'standard',
  isRolled: true,
  unitsPerPackage: 10,
  packagingGrams: 140,
  hsCode: '491191',
} as const;

export const GOODS: readonly Good[] = [
  {
    ...POSTER,
    uid: 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver',
    grams: 25,
    sides: [327, 80, 80],
    prices: [
      [1, 790, 890, 690],
      [10, 640, 720, 560],
      [50, 520, 590, 450],
    ],
  },
  {
    ...POSTER,
    uid: 'flat_product_pf_a2_pt_200-gsm-uncoated_cl_4-0_ver',
    grams: 50,
    sides: [450, 80, 80],
    prices: [
      [1, 1264, 1424, 1104],
      [10, 1024, 1152, 896],
      [50, 832, 944, 720],
    ],
  },
  {
    uid: 'card_product_pf_a6_pt_350-gsm-silk_cl_4-0_ver',
    files: ['default'],
    kind: 'print',
    model: 'flat-card',
    tax: 'standard',
    grams: 6,
    sides: [163, 120, 1],
    unitsPerPackage: 250,
    packagingGrams: 25,
    hsCode: '490900',
    prices: [
      [1, 190, 210, 165],
      [25, 95, 105, 82],
      [100, 48, 53, 42],
    ],
  },
  {
    uid: 'photobook_hard_cover_product_pf_a5_pt_170-gsm-silk_fin_matt_pc_24',
    files: ['inside'],
    kind: 'print',
    model: 'photo-book',
    tax: 'books',
    grams: 244,
    sides: [235, 173, 22],
    unitsPerPackage: 4,
    packagingGrams: 90,
    hsCode: '490199',
    prices: [
      [1, 1323, 1463, 1155],
      [5, 1183, 1323, 1036],
    ],
  },
  {
    uid: 'mug_product_msz_11-oz_mcl_white',
    files: ['default'],
    kind: 'print',
    model: 'mug',
    tax: 'standard',
    grams: 350,
    sides: [130, 110, 110],
    unitsPerPackage: 6,
    packagingGrams: 80,
    hsCode: '691110',
    prices: [
      [1, 690, 790, 590],
      [12, 560, 640, 490],
    ],
  },
  {
    uid: 'sticker_product_sf_75x75-mm',
    files: ['default'],
    kind: 'print',
    model: 'sticker',
    tax: 'standard',
    grams: 3,
    sides: [95, 95, 1],
    unitsPerPackage: 200,
    packagingGrams: 15,
    hsCode: '482110',
    prices: [
      [1, 290, 320, 250],
      [50, 90, 99, 78],
    ],
  },
  {
    uid: 'apparel_product_gca_t-shirt_gsi_m_gco_white_gpr_4-0',
    files: ['front'],
    kind: 'apparel',
    model: 't-shirt',
    tax: 'standard',
    grams: 150,
    sides: [300, 220, 25],
    unitsPerPackage: 8,
    packagingGrams: 20,
    hsCode: '610910',
    prices: [
      [1, 1190, 1290, 990],
      [10, 990, 1090, 840],
    ],
  },
  {
    uid: 'framed_poster_product_mf_300x400-mm_fr_wood-oak_pt_200-gsm-uncoated_ver',
    files: ['default'],
    kind: 'mounted',
    model: 'framed-poster',
    tax: 'standard',
    grams: 1174,
    sides: [460, 360, 45],
    unitsPerPackage: 2,
    packagingGrams: 450,
    hsCode: '491191',
    prices: [
      [1, 3490, 3890, 2990],
      [5, 3190, 3490, 2690],
    ],
  },
];

/** A place with its territories: what crosses the border of one leaves it. `vat` is the country whose rates apply. */
export interface Place {
  readonly country: string;
  readonly city: string;
  readonly postCode: string;
  readonly state?: string;
  readonly phone: string;
  /** Customs territories, of which Northern Ireland has two. */
  readonly customs: readonly string[];
  /** VAT territories. */
  readonly area: readonly string[];
  readonly vat: string;
}

const place = (
  [country, city, postCode, phone]: readonly [string, string, string, string],
  customs: string,
  area: string,
  vat: string = country,
  state?: string,
): Place => ({
  country,
  city,
  postCode,
  phone,
  customs: customs.split(' '),
  area: area.split(' '),
  vat,
  ...(state === undefined ? {} : { state }),
});

/** Where orders go: 11 countries and 8 special territories. */
export const PLACES: readonly Place[] = [
  place(['DE', 'Hamburg', '20095', '+49 40 30 01 80'], 'EU', 'EU'),
  place(['DE', 'Berlin', '10119', '+49 30 901820'], 'EU', 'EU'),
  place(['FR', 'Paris', '75003', '+33 1 42 72 23 45'], 'EU', 'EU'),
  place(['AT', 'Wien', '1010', '+43 1 512 34 56'], 'EU', 'EU'),
  place(['IT', 'Milano', '20121', '+39 02 8645 1234'], 'EU', 'EU'),
  place(['ES', 'Madrid', '28013', '+34 914 29 12 34'], 'EU', 'EU'),
  place(['PL', 'Warszawa', '00-001', '+48 22 826 12 34'], 'EU', 'EU'),
  place(['GB', 'Leeds', 'LS1 4AP', '+44 113 496 0123'], 'GB', 'GB'),
  place(['US', 'Chicago', '60601', '+1 312 555 0123'], 'US', 'US', 'US', 'IL'),
  place(['CH', 'Bern', '3011', '+41 31 321 61 11'], 'CH', 'CH'),
  place(['NO', 'Oslo', '0150', '+47 22 00 00 00'], 'NO', 'NO'),
  place(['JP', 'Osaka', '530-0001', '+81 6 6347 0001'], 'JP', 'JP'),
  place(['ES', 'Las Palmas', '35001', '+34 928 36 12 34'], 'EU', 'ES-CN', 'none'),
  place(['DE', 'Helgoland', '27498', '+49 4725 808 0'], 'DE-HE', 'DE-HE', 'none'),
  place(['DE', 'Büsingen', '78266', '+49 7734 930 20'], 'CH', 'CH', 'CH'),
  place(['IT', 'Livigno', '23041', '+39 0342 991 111'], 'IT-LI', 'IT-LI', 'none'),
  place(['FR', 'Saint-Denis', '97400', '+262 262 40 04 04'], 'EU', 'FR-RE', 'none'),
  place(['MC', 'Monaco', '98000', '+377 93 15 28 00'], 'EU', 'EU', 'FR'),
  place(['GB', 'Belfast', 'BT1 5GS', '+44 28 9032 0202'], 'GB EU', 'GB EU'),
  place(['JE', 'St Helier', 'JE2 3QA', '+44 1534 440000'], 'GB', 'JE', 'none'),
];

/** VAT numbers with right check digits, by state. */
export const VAT_NUMBERS: Readonly<Record<string, string>> = {
  DE: 'DE136695976',
  FR: 'FR40303265045',
  AT: 'ATU13585627',
  IT: 'IT00743110157',
  ES: 'ESB58378431',
};

/** Currencies: the first three have prices of their own, the last one has converted prices and no minor unit. */
export const CURRENCIES = ['EUR', 'USD', 'GBP', 'JPY'] as const;
export type Currency = (typeof CURRENCIES)[number];

const commonSender = { firstName: 'Dispatch', lastName: 'Desk' };
const print = (percent: number) =>
  Object.fromEntries(
    Object.entries({
      flat_product: 310,
      card_product: 45,
      mug_product: 330,
      sticker_product: 60,
      photobook_hard_cover_product: 980,
    }).map(([model, cents]) => [model, { unitPriceMinor: Math.round((cents * percent) / 100), leadDays: 1 }]),
  );

/** Partners beside the demo's two, one in each of two more countries. */
export const FURTHER_PARTNERS = [
  {
    uid: 'prints-leeds',
    name: 'Prints Leeds',
    currency: 'GBP',
    senderAddress: {
      ...commonSender,
      company: 'Prints Leeds Ltd',
      addressLine1: '1 Wharf Street',
      city: 'Leeds',
      postcode: 'LS2 7EQ',
      country: 'GB',
      email: 'dispatch@prints-leeds.example',
    },
    models: print(95),
  },
  {
    uid: 'prints-lyon',
    name: 'Prints Lyon',
    currency: 'EUR',
    senderAddress: {
      ...commonSender,
      company: 'Prints Lyon SAS',
      addressLine1: '12 rue de la République',
      city: 'Lyon',
      postcode: '69002',
      country: 'FR',
      email: 'expedition@prints-lyon.example',
    },
    models: print(101),
  },
] as const;

/** Where the partners make, by uid. */
export const ORIGINS: Readonly<Record<string, Pick<Place, 'customs' | 'area' | 'country' | 'vat'>>> = {
  'prints-berlin': { country: 'DE', customs: ['EU'], area: ['EU'], vat: 'DE' },
  'prints-ohio': { country: 'US', customs: ['US'], area: ['US'], vat: 'US' },
  'prints-leeds': { country: 'GB', customs: ['GB'], area: ['GB'], vat: 'GB' },
  'prints-lyon': { country: 'FR', customs: ['EU'], area: ['EU'], vat: 'FR' },
};

export const EU = ['DE', 'FR', 'AT', 'IT', 'ES', 'PL'];

/** Returns true when goods between two places leave a customs or a VAT territory. */
export const crossesBorder = (from: Pick<Place, 'customs' | 'area'>, to: Pick<Place, 'customs' | 'area'>): boolean =>
  !from.customs.some((customs) => to.customs.includes(customs)) || !from.area.some((area) => to.area.includes(area));
