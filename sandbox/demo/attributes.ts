import type { PropertyDefinition, PropertyValue } from '../../src/catalog/attributes';

/** An attribute of the demo catalog. Each value is `[id, description, properties]`; `default` and `custom` are value ids. */
interface DemoAttribute {
  readonly id: string;
  readonly description: string;
  readonly properties?: readonly PropertyDefinition[];
  readonly default?: string;
  readonly custom?: string;
  readonly values: readonly (readonly [id: string, description: string, properties?: Record<string, PropertyValue>])[];
}

const size: readonly PropertyDefinition[] = [
  { id: 'widthMm', description: 'Width, portrait', type: 'number' },
  { id: 'heightMm', description: 'Height, portrait', type: 'number' },
  { id: 'code', description: 'Short name in stock numbers', type: 'string' },
];
const paper: readonly PropertyDefinition[] = [{ id: 'gsm', description: 'Grams per square metre', type: 'number' }];
const colour: readonly PropertyDefinition[] = [{ id: 'hex', description: 'Colour code', type: 'string' }];

export const DEMO_ATTRIBUTES: readonly DemoAttribute[] = [
  {
    id: 'paper_format',
    description: 'Paper format',
    properties: size,
    default: 'a3',
    values: [
      ['a4', 'A4', { widthMm: 210, heightMm: 297, code: 'a4' }],
      ['a3', 'A3', { widthMm: 297, heightMm: 420, code: 'a3' }],
      ['a2', 'A2', { widthMm: 420, heightMm: 594, code: 'a2' }],
      ['a1', 'A1', { widthMm: 594, heightMm: 841, code: 'a1' }],
      ['200x300-mm', '20 x 30 cm', { widthMm: 200, heightMm: 300, code: '20x30' }],
      ['300x400-mm', '30 x 40 cm', { widthMm: 300, heightMm: 400, code: '30x40' }],
      ['500x700-mm', '50 x 70 cm', { widthMm: 500, heightMm: 700, code: '50x70' }],
    ],
  },
  {
    id: 'paper_type',
    description: 'Paper',
    properties: paper,
    default: '200-gsm-uncoated',
    values: [
      ['170-gsm-silk', '170 g/m2 silk', { gsm: 170 }],
      ['200-gsm-uncoated', '200 g/m2 uncoated', { gsm: 200 }],
      ['250-gsm-fine-art', '250 g/m2 fine art', { gsm: 250 }],
    ],
  },
  {
    id: 'color_type',
    description: 'Printed sides',
    default: '4-0',
    values: [
      ['4-0', 'Front in full colour'],
      ['4-4', 'Front and back in full colour'],
    ],
  },
  {
    id: 'orientation',
    description: 'Orientation',
    default: 'ver',
    values: [
      ['ver', 'Portrait', { landscape: 'no' }],
      ['hor', 'Landscape', { landscape: 'yes' }],
    ],
  },
  {
    id: 'card_format',
    description: 'Card format',
    properties: size,
    default: 'a6',
    values: [
      ['a6', 'A6', { widthMm: 105, heightMm: 148, code: 'a6' }],
      ['a5', 'A5', { widthMm: 148, heightMm: 210, code: 'a5' }],
      ['dl', 'DL', { widthMm: 99, heightMm: 210, code: 'dl' }],
    ],
  },
  {
    id: 'card_paper',
    description: 'Card paper',
    properties: paper,
    default: '350-gsm-silk',
    values: [
      ['350-gsm-silk', '350 g/m2 silk', { gsm: 350 }],
      ['300-gsm-uncoated', '300 g/m2 uncoated', { gsm: 300 }],
    ],
  },
  {
    id: 'book_format',
    description: 'Book format',
    properties: size,
    default: 'a4',
    values: [
      ['a4', 'A4', { widthMm: 210, heightMm: 297, code: 'a4' }],
      ['a5', 'A5', { widthMm: 148, heightMm: 210, code: 'a5' }],
      ['210x210-mm', '21 x 21 cm', { widthMm: 210, heightMm: 210, code: '21x21' }],
    ],
  },
  {
    id: 'book_paper',
    description: 'Inside paper',
    properties: paper,
    default: '170-gsm-silk',
    values: [
      ['170-gsm-silk', '170 g/m2 silk', { gsm: 170 }],
      ['200-gsm-matt', '200 g/m2 matt', { gsm: 200 }],
    ],
  },
  {
    id: 'cover_finish',
    description: 'Cover finish',
    default: 'matt',
    values: [
      ['matt', 'Matt'],
      ['glossy', 'Glossy'],
    ],
  },
  {
    id: 'page_count',
    description: 'Pages',
    properties: [
      { id: 'min', description: 'Fewest pages', type: 'number' },
      { id: 'max', description: 'Most pages', type: 'number' },
      { id: 'multipleOf', description: 'Pages come in multiples of', type: 'number' },
    ],
    default: '24',
    custom: 'pages',
    values: [
      ['24', '24 pages'],
      ['pages', 'Any even number of pages', { min: 24, max: 200, multipleOf: 2 }],
    ],
  },
  {
    id: 'mug_size',
    description: 'Mug size',
    default: '11-oz',
    values: [
      ['11-oz', '11 oz (325 ml)', { widthMm: 200, heightMm: 85 }],
      ['15-oz', '15 oz (440 ml)', { widthMm: 225, heightMm: 102 }],
    ],
  },
  {
    id: 'mug_color',
    description: 'Mug colour',
    properties: colour,
    default: 'white',
    values: [
      ['white', 'White', { hex: '#ffffff' }],
      ['black', 'Black', { hex: '#1c1c1c' }],
    ],
  },
  {
    id: 'apparel_size',
    description: 'Size',
    default: 'm',
    values: [
      ['xs', 'XS', { order: 1 }],
      ['s', 'S', { order: 2 }],
      ['m', 'M', { order: 3 }],
      ['l', 'L', { order: 4 }],
      ['xl', 'XL', { order: 5 }],
      ['xxl', 'XXL', { order: 6 }],
    ],
  },
  {
    id: 'apparel_color',
    description: 'Colour',
    properties: colour,
    default: 'white',
    values: [
      ['white', 'White', { hex: '#ffffff' }],
      ['black', 'Black', { hex: '#111111' }],
      ['navy', 'Navy', { hex: '#1f2a44' }],
      ['heather-grey', 'Heather grey', { hex: '#b3b5b4' }],
    ],
  },
  {
    id: 'print_sides',
    description: 'Print location',
    default: '4-0',
    values: [
      ['4-0', 'Front', { location: 'front' }],
      ['0-4', 'Back', { location: 'back' }],
      ['4-4', 'Front and back', { location: 'front+back' }],
    ],
  },
  {
    id: 'frame_material',
    description: 'Frame',
    properties: colour,
    default: 'wood-black',
    values: [
      ['wood-black', 'Black wood', { hex: '#1a1a1a' }],
      ['wood-white', 'White wood', { hex: '#f4f4f0' }],
      ['wood-oak', 'Oak', { hex: '#c8a26a' }],
    ],
  },
  {
    id: 'sticker_format',
    description: 'Sticker size',
    properties: size,
    default: '75x75-mm',
    values: [
      ['75x75-mm', '7.5 x 7.5 cm', { widthMm: 75, heightMm: 75, code: '75' }],
      ['100x100-mm', '10 x 10 cm', { widthMm: 100, heightMm: 100, code: '100' }],
    ],
  },
];
