/** Values of `refusalReasonCode` for orders that cannot be planned. Print files have further codes. */
export const PLAN_REFUSALS = [
  'missing_retail_prices',
  'no_production_partner',
  'no_price',
  'no_shipment_method',
  'file_check',
] as const;

export type PlanRefusalCode = (typeof PLAN_REFUSALS)[number];
