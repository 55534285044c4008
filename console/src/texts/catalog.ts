import type { ApiResponse } from '../api/types';
import type { Named } from './names';

type ProductState = ApiResponse<'listCustomerProducts'>['customerProducts'][number]['state'];
type ModelState = ApiResponse<'listProductModels'>['productModels'][number]['state'];

export const catalog = {
  title: 'Catalog',
  search: 'Search customer products',
  placeholder: 'Part of the name',
  state: 'State',
  productStates: {
    published: { text: 'Published', tone: 'success' },
    archived: { text: 'Archived', tone: 'neutral' },
  } satisfies Record<ProductState, Named>,
  model: 'Product model',
  allModels: 'All product models',
  products: 'Customer products',
  productColumns: {
    preview: 'Preview',
    name: 'Name',
    id: 'Id',
    model: 'Product model',
    customers: 'Customers',
    options: 'Options',
    state: 'State',
    changed: 'Changed',
  },
  allCustomers: 'All',
  option: (name: string, values: readonly string[]) => `${name}: ${values.join(', ')}`,
  shown: (shown: number, total: number, isEstimate: boolean) => `${shown} of ${isEstimate ? 'about ' : ''}${total}`,
  archive: 'Archive',
  archiveExplanation: (name: string) =>
    `${name} can no longer be ordered, and lists show it only on request. Existing orders are not changed. You can publish it again.`,
  archiveButton: 'Archive product',
  publish: 'Publish',
  publishExplanation: (name: string) => `${name} can be ordered again.`,
  publishButton: 'Publish product',
  emptyProducts: 'No customer product found',
  emptyProductsText:
    'Customer products appear here when clients or operators create them from a product model. Clear the search and the filters to see all.',
  models: 'Product models',
  modelStates: {
    draft: { text: 'Draft', tone: 'info' },
    active: { text: 'Active', tone: 'success' },
    inactive: { text: 'Inactive', tone: 'neutral' },
  } satisfies Record<ModelState, Named>,
  modelColumns: {
    preview: 'Preview',
    name: 'Name',
    id: 'Id',
    template: 'Product uid',
    attributes: 'Attributes',
    parts: 'Parts',
    prices: 'Prices',
    state: 'State',
  },
  prices: {
    name: 'Change prices',
    label: (model: string) => `Change prices of ${model}`,
    explanation:
      'Prices of one unit before VAT, from a quantity and a time on. From that time, orders have only the prices of the currency that start then; earlier ones stay for the record. Without a time, prices are valid until the first one with a time. Other currencies are converted.',
    button: 'Save prices',
    from: (quantity: number, price: string) => (quantity === 1 ? price : `from ${quantity}: ${price}`),
    currency: 'Currency',
    quantity: 'From quantity',
    price: 'Unit price',
    validFrom: 'Valid from',
    comingFrom: 'From',
    add: 'Add price',
    none: 'No price',
  },
  preview: (name: string) => `Preview of ${name}`,
  part: (name: string, quantity: number) => (quantity === 1 ? name : `${quantity} × ${name}`),
  deactivate: 'Deactivate',
  deactivateExplanation: (name: string) =>
    `${name} and the customer products of it can no longer be ordered. Existing orders are not changed. You can activate it again.`,
  deactivateButton: 'Deactivate model',
  activate: 'Activate',
  activateExplanation: (name: string) => `${name} can be ordered. Its template and its parts stay as they are.`,
  activateButton: 'Activate model',
  needs: {
    edit: 'Print needs',
    label: (name: string) => `Print needs of ${name}`,
    title: (name: string) => `What ${name} needs of print files`,
    explanation: (usual: string) =>
      `Files of new orders are checked against these needs. An empty field is as usual for the kind of product: ${usual}.`,
    usual: (needs: {
      bleedMm: number;
      safeMarginMm: number;
      leastDpi: number;
      warningDpi: number;
      colors: string[];
      maxInkPercent: number;
    }) =>
      `bleed ${needs.bleedMm} mm, safe margin ${needs.safeMarginMm} mm, error below ${needs.leastDpi} dpi, warning below ${needs.warningDpi} dpi, colours ${needs.colors.join(', ')}, ink up to ${needs.maxInkPercent} %`,
    button: 'Change needs',
    measures: 'Measures',
    fields: {
      bleedMm: 'Bleed (mm)',
      safeMarginMm: 'Safe margin (mm)',
      leastDpi: 'Error below (dpi)',
      warningDpi: 'Warning below (dpi)',
      colors: 'Colours: gray, rgb, cmyk, lab, spot',
      maxInkPercent: 'Most ink (%)',
    },
    flags: {
      transparency: 'Transparency is allowed',
      overprint: 'Overprint is allowed',
      otherSize: 'Pages may have another size',
      turned: 'Pages may be turned',
    },
    fitMethod: 'An image of another shape',
    fitMethods: { contain: 'is shown whole', cover: 'fills the area', stretch: 'is distorted' },
    usualFit: (method: string) => `As usual: ${method}`,
    answers: { yes: 'Yes', no: 'No' },
    asUsual: (value: boolean) => `As usual: ${value ? 'yes' : 'no'}`,
  },
  emptyModels: 'No product model',
  emptyModelsText: 'Product models appear here when an operator creates them by the API or by import-catalog.',
} as const;
