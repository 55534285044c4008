import { z } from 'zod';
import { countryCode, crossField, property } from '../platform/domain/fields';
import { optional, optionalText, requiredText } from './address-schemas';

/** Packages and their items in requests of the shipping group (schemas `ShippingPackage`, `ShippingItem`). */

export const MAX_PACKAGES = 100;
const MAX_ITEMS = 500;

/** A length or weight. The limit is 10 km (in inches) and 100 t (in grams); larger values are typing errors. */
const measure = z.number().positive().max(100_000_000);
const money = z.number().nonnegative().max(1_000_000_000);

const itemSchema = z
  .object({
    itemReferenceId: optionalText(100),
    description: optionalText(200),
    quantity: optional(z.number().int().positive().max(1_000_000)),
    value: optional(money).describe('Of one unit, in the order’s currency.'),
    weight: optional(measure).describe('Of one unit, in the order’s weight unit.'),
    hsCode: optional(
      z
        .string()
        .trim()
        .regex(/^(?:\d[ .]?){6,14}$|^$/, 'A Harmonized System code has 6 to 14 digits'),
    ),
    countryOfOrigin: optional(countryCode),
  })
  .meta({ id: 'ShippingItem', description: 'Every field is required for international shipping.' });

export const packageSchema = crossField(
  z.object({
    packageReferenceId: requiredText(100),
    grossWeight: measure.describe('Packaging and items.'),
    netWeight: optional(measure).describe(
      'Weight of the contents, shown as the net weight on customs forms. At most the gross weight. Default: the sum of the items.',
    ),
    length: measure,
    width: measure,
    height: measure,
    volumetricWeight: optional(z.number().nonnegative().max(100_000_000)).describe(
      'Couriers bill it when it is above the volumetric weight that they compute from the sides.',
    ),
    boxType: optionalText(50).describe(
      'For example rectangle or tube. tube and cylinder have a surcharge. Shown on customs forms.',
    ),
    value: optional(money).describe(
      'Total value of the items in the order’s currency. Required for international shipping, where it must equal the sum of the items within 1 %.',
    ),
    items: optional(z.array(itemSchema).max(MAX_ITEMS)).describe('Required for international shipping.'),
  }),
  (pack, report) => {
    const gross = property(pack, 'grossWeight');
    const net = property(pack, 'netWeight');
    if (typeof gross === 'number' && typeof net === 'number' && net > gross) {
      report(['netWeight'], 'The net weight must not be above the gross weight.');
    }
  },
).meta({ id: 'ShippingPackage' });
