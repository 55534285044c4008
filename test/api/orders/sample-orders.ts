/** Valid bodies of order requests, which tests override in part. */

export const POSTER = 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver';
export const T_SHIRT = 'apparel_product_gca_t-shirt_gsi_m_gco_white_gpr_4-4';
export const FRAMED_POSTER = 'framed_poster_product_mf_a3_fr_wood-black_pt_200-gsm-uncoated_ver';
export const STICKER = 'sticker_product_sf_75x75-mm';
/** Takes files of any type. */
export const DIE_CUT_STICKER = 'die_cut_sticker_product_sf_75x75-mm';
export const FILE_URL = 'https://files.example/print.pdf';

export const item = (over: object = {}) => ({
  itemReferenceId: 'item-1',
  productUid: POSTER,
  quantity: 1,
  files: [{ type: 'default', url: FILE_URL }],
  ...over,
});

export const named = (over: object = {}) => ({
  itemReferenceId: 'item-1',
  productName: 'Classic tee',
  productVariant: { Size: 'L', Color: 'Navy' },
  quantity: 2,
  files: [{ type: 'front', url: FILE_URL }],
  ...over,
});

export const address = (over: object = {}) => ({
  country: 'DE',
  firstName: 'Ada',
  lastName: 'Byron',
  addressLine1: 'Torstraße 1',
  city: 'Berlin',
  postCode: '10119',
  email: 'ada@example.com',
  phone: '+49 30 901820',
  ...over,
});

let references = 0;

/** Returns a valid order with a new reference. */
export const order = (over: object = {}) => {
  references += 1;
  return {
    orderReferenceId: `order-${references}`,
    currency: 'EUR',
    shippingAddress: address(),
    items: [item()],
    ...over,
  };
};

export const to = (over: object) => order({ shippingAddress: address(over) });
export const of = (...items: object[]) => order({ items });
export const withFiles = (...files: object[]) => of(item({ files }));
export const file = (type: string, url = FILE_URL) => ({ type, url });
export const pairs = (count: number, key = 'k', value = 'v') =>
  Array.from({ length: count }, (_, index) => ({ key: `${key}${index}`, value }));
export const packed = (instructions: object[], ...items: object[]) =>
  order({ packagingInstructions: instructions, items: items.length === 0 ? [item({ quantity: 5 })] : items });
export const pack = (reference: string, quantity: number) => ({
  packageItems: [{ orderItemReferenceId: reference, quantity }],
});

export const without = (body: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
