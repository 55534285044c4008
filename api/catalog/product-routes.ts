import { z } from 'zod';
import { catalogModels, catalogVersion } from '../../src/catalog/catalog-models';
import { printNeeds } from '../../src/catalog/domain/print-needs';
import { isStockProduct, type ResolvedProduct } from '../../src/catalog/domain/product';
import type { ProductionSpec } from '../../src/catalog/domain/product-model';
import { resolveProducts } from '../../src/catalog/resolve-products';
import { needsOfArea } from '../../src/orders/domain/file-needs';
import { acceptedFileTypes } from '../../src/orders/domain/item-files';
import { modelsOf } from '../../src/partners/domain/routing-weights';
import { leadDaysOf } from '../../src/partners/routing-rows';
import { fromMinor } from '../../src/platform/domain/money';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

const priceList = z.record(z.string(), z.array(z.object({ from: z.int(), price: z.number() })));

const leadDays = z
  .object({ min: z.int(), max: z.int() })
  .nullable()
  .describe('Working days to dispatch, at the fastest and the slowest partner. Null: no partner makes it now');

const product = z
  .object({
    productUid: z.string(),
    productModelId: z.string(),
    name: z.string(),
    description: z.string(),
    categoryId: z.string(),
    attributes: z.array(
      z.object({ name: z.string(), title: z.string(), value: z.string(), formattedValue: z.string() }),
    ),
    parts: z.array(z.object({ name: z.string(), type: z.enum(['print', 'stock', 'service']), quantity: z.int() })),
    files: z.object({
      isRequired: z.boolean().describe('False: the product is taken from stock, and orders have no files'),
      types: z.array(z.string()).nullable().describe('The accepted file types. Null: any name'),
      areas: z.array(
        z.object({
          fileType: z.string(),
          isRequired: z.boolean(),
          widthMm: z.number(),
          heightMm: z.number(),
          needs: printNeeds.describe('What the file of the area needs'),
          prices: priceList.optional().describe('What the area costs beside the product'),
        }),
      ),
      otherSizes: z
        .record(z.string(), z.object({ widthMm: z.number(), heightMm: z.number() }))
        .describe('Sizes of files for further places: neck labels, sleeves, the cover of a book with its spine'),
      pages: z
        .object({ min: z.int(), max: z.int(), multipleOf: z.int(), coverPages: z.int().optional() })
        .nullable()
        .describe('Pages of the print PDF. Null: any number'),
    }),
    prices: priceList.describe('Prices of one unit by currency, before VAT. Other currencies are converted'),
    weightGrams: z.int(),
    packed: z.object({ lengthMm: z.number(), widthMm: z.number(), heightMm: z.number() }),
    unitsPerPackage: z.int(),
    leadDays,
  })
  .meta({ id: 'Product' });

function prices(list: Readonly<Record<string, readonly { readonly from: number; readonly unitMinor: number }[]>>) {
  return Object.fromEntries(
    Object.entries(list).map(([currency, breaks]) => [
      currency,
      breaks.map(({ from, unitMinor }) => ({ from, price: fromMinor(unitMinor, currency) })),
    ]),
  );
}

/** Returns the sizes of files that are for no print area. The cover of a book is both sides and the spine. */
function otherSizes({ printAreas: [page], pageRule }: ResolvedProduct, { otherSizes, pages }: ProductionSpec) {
  if (page === undefined || pageRule === null || pages?.spine === undefined) return otherSizes;
  const spineMm = pages.spine.baseMm + pages.spine.pageMm * pageRule.max;
  return { ...otherSizes, cover: { widthMm: 2 * page.widthMm + spineMm, heightMm: page.heightMm } };
}

/** The route that returns what an order of a product needs. */
export function productRoutes({ sql, candidates }: ApiDeps): Route[] {
  return [
    route('GET /v1/products/{productUid}', {
      operationId: 'getProduct',
      summary: 'Read what an order of a product needs',
      description:
        'Files, print areas and pages, prices and lead time of a productUid. 404 names what is wrong with it.',
      tag: 'Catalog',
      access: { credentials: 'key', roles: ['client', 'operator'], operatorRole: 'viewer' },
      errors: 'coded',
      params: z.object({ productUid: z.string() }),
      response: product,
      handler: async ({ account, params: { productUid } }) => {
        const [[resolution], partners] = await Promise.all([
          resolveProducts(sql, { clientId: account.id }, [{ productUid }]),
          candidates([]),
        ]);
        if (!resolution!.ok) {
          const { message } = resolution!;
          throw new Refusal('NOT_FOUND', { message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` });
        }
        const found = resolution!.product;
        const { productModelId: id } = found;
        const { production } = (await catalogModels(sql, await catalogVersion(sql), [id])).get(id)!.model;
        const { lengthMm, widthMm, heightMm } = found.packed;
        return {
          productUid: found.productUid,
          productModelId: found.productModelId,
          name: found.name,
          description: found.description,
          categoryId: found.categoryId,
          attributes: found.attributes.map(({ name, title, value, formattedValue }) => ({
            name,
            title,
            value,
            formattedValue,
          })),
          parts: found.parts.map(({ name, type, quantity }) => ({ name, type, quantity })),
          files: {
            isRequired: !isStockProduct(found),
            types: acceptedFileTypes(found),
            areas: found.printAreas.map(({ required, priceList, ...area }) => ({
              ...area,
              isRequired: required,
              needs: needsOfArea(area, found),
              ...(priceList === undefined ? {} : { prices: prices(priceList) }),
            })),
            otherSizes: otherSizes(found, production),
            pages: found.pageRule,
          },
          prices: prices(found.priceList),
          weightGrams: found.unitWeightGrams,
          packed: { lengthMm, widthMm, heightMm },
          unitsPerPackage: found.unitsPerPackage,
          leadDays: leadDaysOf(partners, modelsOf(found)),
        };
      },
    }),
  ];
}
