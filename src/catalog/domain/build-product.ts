import Decimal from 'decimal.js';
import type { ModelPart } from '../product-model-schemas';
import type { CatalogModel, ChosenValue, OfferedAttribute } from './catalog-model';
import type { PrintNeeds } from './print-needs';
import type {
  PageRule,
  PriceList,
  PrintArea,
  ResolvedAttribute,
  ResolvedPart,
  ResolvedProduct,
  Surcharge,
} from './product';
import { type ProductionSpec, STANDARD_FILE_TYPES } from './product-model';
import { formatUid } from './product-uid';

type Values = ReadonlyMap<string, ChosenValue>;

export type BuildResult =
  | { readonly ok: true; readonly product: ResolvedProduct }
  /** A value of attribute `attributeId` lacks a property that the product needs. */
  | { readonly ok: false; readonly attributeId: string; readonly message: string };

interface Size {
  readonly widthMm: number;
  readonly heightMm: number;
}

/** Returns the entry of the chosen value. Custom input can be any text, including `constructor`, hence `hasOwn`. */
function entryFor<T>(byValue: Readonly<Record<string, T>>, chosen: ChosenValue | undefined): T | undefined {
  return chosen !== undefined && Object.hasOwn(byValue, chosen.text) ? byValue[chosen.text] : undefined;
}

function resolvedAttribute({ attribute }: OfferedAttribute, { text, value }: ChosenValue): ResolvedAttribute {
  return {
    name: attribute.id,
    title: attribute.description,
    value: text,
    formattedValue: value.isCustom ? text : (value.description ?? value.id),
    properties: Object.fromEntries(
      Object.entries(value.properties).map(([name, property]) => [
        name,
        Array.isArray(property) ? property.join(',') : String(property),
      ]),
    ),
  };
}

/** Returns a numeric property of the chosen value of an attribute, or undefined. */
function measure(values: Values, attributeId: string | undefined, property: string): number | undefined {
  if (attributeId === undefined) return undefined;
  const found = values.get(attributeId)?.value.properties[property];
  const number = found === undefined || Array.isArray(found) ? Number.NaN : Number(found);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

function printSize(spec: ProductionSpec, values: Values): Size | undefined {
  const widthMm = measure(values, spec.sizeAttribute, 'widthMm');
  const heightMm = measure(values, spec.sizeAttribute, 'heightMm');
  if (widthMm === undefined || heightMm === undefined) return undefined;
  const landscape =
    spec.orientationAttribute !== undefined &&
    values.get(spec.orientationAttribute)?.value.properties.landscape === 'yes';
  return landscape ? { widthMm: heightMm, heightMm: widthMm } : { widthMm, heightMm };
}

/** Returns unit prices as a price list without quantity breaks. */
function pricesOf(unitPrices: Readonly<Record<string, number>>, factor = new Decimal(1)): PriceList {
  return Object.fromEntries(
    Object.entries(unitPrices).map(([currency, minor]) => [
      currency,
      [{ from: 1, unitMinor: factor.times(minor).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber() }],
    ]),
  );
}

function printAreas(spec: ProductionSpec, values: Values, size: Size | undefined): PrintArea[] {
  return spec.printAreas
    .filter(({ when }) => when === undefined || when.valueIds.includes(values.get(when.attributeId)?.text ?? ''))
    .map((area) => {
      const { widthMm, heightMm } = area.size ?? size ?? { widthMm: 0, heightMm: 0 };
      const prices = area.prices === undefined ? {} : { priceList: pricesOf(area.prices) };
      // No field is undefined: they come from JSON.
      const needs = area.needs === undefined ? {} : { needs: area.needs as Partial<PrintNeeds> };
      return { fileType: area.fileType, required: area.required, widthMm, heightMm, ...prices, ...needs };
    });
}

function pageCount(spec: ProductionSpec, values: Values): number | undefined {
  const text = spec.pages === undefined ? undefined : values.get(spec.pages.attributeId)?.text;
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the page rule: a book has the ordered pages; other products have one page, or one for each print area. */
function pageRule(spec: ProductionSpec, pages: number | undefined, areas: number): PageRule | null {
  if (pages !== undefined) {
    const { multipleOf, coverPages } = spec.pages!;
    return { min: pages, max: pages, multipleOf, coverPages };
  }
  if (spec.workflowEnabled) return null;
  return { min: 1, max: Math.max(1, areas), multipleOf: 1 };
}

/** Returns the grams of one unit without its parts: base weight, added weights, and paper area times grammage. */
function ownWeight(spec: ProductionSpec, values: Values, size: Size | undefined, pages: number | undefined): number {
  const added = Object.entries(spec.addedGrams).reduce(
    (sum, [attributeId, byValue]) => sum + (entryFor(byValue, values.get(attributeId)) ?? 0),
    0,
  );
  const gsm = measure(values, spec.paperAttribute, 'gsm');
  const sheets = pages === undefined ? 1 : pages / 2;
  const paper = gsm === undefined || size === undefined ? 0 : (size.widthMm * size.heightMm * gsm * sheets) / 1_000_000;
  return spec.weightGrams + added + Math.ceil(paper);
}

function packedSize(spec: ProductionSpec, size: Size | undefined): ResolvedProduct['packed'] {
  const { packed } = spec;
  const { widthMm, heightMm } = size ?? { widthMm: 100, heightMm: 100 };
  const [short, long] = widthMm < heightMm ? [widthMm, heightMm] : [heightMm, widthMm];
  switch (packed.form) {
    case 'box':
      return { lengthMm: packed.lengthMm, widthMm: packed.widthMm, heightMm: packed.heightMm };
    case 'flat':
      return {
        lengthMm: long + packed.marginMm,
        widthMm: short + packed.marginMm,
        heightMm: packed.thicknessMm,
      };
    case 'tube':
      // The print is rolled along its longer side: the tube is as long as the shorter side.
      return {
        lengthMm: short + packed.marginMm,
        widthMm: packed.diameterMm,
        heightMm: packed.diameterMm,
        nests: true,
      };
  }
}

function priceFactor(spec: ProductionSpec, values: Values): Decimal {
  return Object.entries(spec.priceFactors).reduce(
    (factor, [attributeId, byValue]) => factor.times(entryFor(byValue, values.get(attributeId)) ?? 1),
    new Decimal(1),
  );
}

function priceList(spec: ProductionSpec, values: Values, pages: number | undefined): PriceList {
  const factor = priceFactor(spec, values);
  const extraPages = Math.max(0, (pages ?? 0) - (spec.pages?.included ?? 0));
  return Object.fromEntries(
    Object.entries(spec.priceList).map(([currency, breaks]) => [
      currency,
      [...breaks]
        .sort((a, b) => a.from - b.from)
        .map(({ from, unitMinor }) => ({
          from,
          unitMinor: factor
            .times(unitMinor)
            .plus(extraPages * (spec.pagePrices[currency] ?? 0))
            .toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
            .toNumber(),
        })),
    ]),
  );
}

/** Replaces `{attribute}` by the chosen value and `{attribute.property}` by a property of the chosen value. */
function fillSku(template: string, values: Values): string {
  return template.replace(/\{([^}]+)\}/g, (_, reference: string) => {
    const whole = values.get(reference);
    if (whole !== undefined) return whole.text;
    const dot = reference.lastIndexOf('.');
    const chosen = values.get(reference.slice(0, dot));
    const property = chosen?.value.properties[reference.slice(dot + 1)];
    return property === undefined ? (chosen?.text ?? '') : String(property);
  });
}

/** Returns the values of a part: those of the product, else the defaults of the part's product model. */
function partValues(part: CatalogModel, values: Values): Values {
  const taken = new Map<string, ChosenValue>();
  for (const [attributeId, offered] of part.attributes) {
    const own = offered.defaultValueId === null ? undefined : offered.values.get(offered.defaultValueId);
    const chosen = values.get(attributeId) ?? (own === undefined ? undefined : { text: own.id, value: own });
    if (chosen !== undefined) taken.set(attributeId, chosen);
  }
  return taken;
}

function attributesOf({ attributes }: CatalogModel, values: Values): ResolvedAttribute[] {
  return [...attributes.values()].flatMap((offered) => {
    const chosen = values.get(offered.attribute.id);
    return chosen === undefined ? [] : [resolvedAttribute(offered, chosen)];
  });
}

/** Returns the name of a product model in partners' production systems. */
function modelUidOf({ model }: CatalogModel): string {
  return model.production.modelUid ?? model.id;
}

/**
 * Returns the prices of a part's units beyond those of the product model: its own prices there, else those of its product
 * model, else the unit price in euros.
 */
function partPrices({ prices }: ModelPart, spec: ProductionSpec, values: Values): PriceList {
  if (prices === undefined && Object.keys(spec.priceList).length > 0) return priceList(spec, values, undefined);
  return pricesOf(prices ?? { EUR: spec.unitPriceMinorEur }, priceFactor(spec, values));
}

function resolvePart(partModel: CatalogModel, values: Values, name: string, quantity: number): ResolvedPart {
  const { id, production: spec } = partModel.model;
  return {
    partModelId: id,
    modelUid: modelUidOf(partModel),
    name,
    type: spec.partType,
    quantity,
    attributes: attributesOf(partModel, values),
    partnerSku: spec.partnerSku === undefined ? null : fillSku(spec.partnerSku, values),
    unitPriceMinorEur: priceFactor(spec, values)
      .times(spec.unitPriceMinorEur)
      .toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
      .toNumber(),
  };
}

/** Returns the parts of a product in their order, the grams of all of them together, and the prices of further units. */
function resolveParts(
  { model, parts: partModels }: CatalogModel,
  values: Values,
  quantities: ReadonlyMap<string, number>,
): { readonly parts: ResolvedPart[]; readonly weightGrams: number; readonly surcharges: Surcharge[] } {
  let weightGrams = 0;
  const surcharges: Surcharge[] = [];
  const parts: ResolvedPart[] = [];
  for (const part of [...model.parts].sort((a, b) => a.order - b.order)) {
    const partModel = partModels.get(part.modelId);
    const quantity = quantities.get(part.id) ?? quantities.get(part.modelId) ?? part.quantity;
    if (partModel === undefined || quantity === 0) continue;
    const spec = partModel.model.production;
    const chosen = partValues(partModel, values);
    weightGrams += quantity * ownWeight(spec, chosen, printSize(spec, chosen), undefined);
    const units = quantity - part.quantity;
    if (units > 0) surcharges.push({ units, priceList: partPrices(part, spec, chosen) });
    parts.push(resolvePart(partModel, chosen, part.name, quantity));
  }
  return { parts, weightGrams, surcharges };
}

/**
 * Builds the product of an order item from its product model and a value for every attribute.
 * @param quantities part model id or part id to quantity, which overrides the product model's; 0 omits the part
 * @param cut the size to which the print is cut. Default: that of the values
 */
export function buildProduct(
  catalogModel: CatalogModel,
  values: Values,
  quantities: ReadonlyMap<string, number> = new Map(),
  cut?: Size,
): BuildResult {
  const { model, template } = catalogModel;
  const spec = model.production;
  const size = cut ?? printSize(spec, values);
  if (size === undefined && spec.sizeAttribute !== undefined) {
    const text = values.get(spec.sizeAttribute)?.text ?? '';
    const message = `value "${text}" of attribute ${spec.sizeAttribute} has no widthMm and heightMm`;
    return { ok: false, attributeId: spec.sizeAttribute, message };
  }

  const { parts, weightGrams, surcharges } = resolveParts(catalogModel, values, quantities);
  const pages = pageCount(spec, values);
  const areas = printAreas(spec, values, size);
  const texts = Object.fromEntries([...values].map(([attributeId, { text }]) => [attributeId, text]));
  const product: ResolvedProduct = {
    productUid: formatUid(template, texts),
    productModelId: model.id,
    modelUid: modelUidOf(catalogModel),
    kind: spec.kind,
    name: model.name,
    description: model.description,
    categoryId: model.categoryId,
    productTypeUid: spec.productTypeUid ?? model.id,
    productNameUid: spec.productNameUid ?? model.id,
    attributes: attributesOf(catalogModel, values),
    // A stocked model that is sold by itself is its only part.
    parts: spec.partType === 'stock' && parts.length === 0 ? [resolvePart(catalogModel, values, model.name, 1)] : parts,
    workflowEnabled: spec.workflowEnabled,
    fileTypes: spec.fileTypes ?? STANDARD_FILE_TYPES[spec.kind],
    printAreas: areas,
    pageRule: pageRule(spec, pages, areas.length),
    unitWeightGrams: Math.max(1, ownWeight(spec, values, size, pages) + weightGrams),
    packed: packedSize(spec, size),
    unitsPerPackage: spec.unitsPerPackage,
    packagingWeightGrams: spec.packagingWeightGrams,
    hsCode: spec.hsCode,
    taxCategory: spec.taxCategory,
    priceList: priceList(spec, values, pages),
    ...(surcharges.length === 0 ? {} : { surcharges }),
  };
  return { ok: true, product };
}
