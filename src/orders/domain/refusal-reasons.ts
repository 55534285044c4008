/** Why no plan can be made of an order: codes of `refusalReasonCode`, beside those of its files. */
export const PLAN_REFUSALS = [
  'missing_retail_prices',
  'no_production_partner',
  'no_price',
  'no_shipment_method',
] as const;

export type PlanRefusalCode = (typeof PLAN_REFUSALS)[number];
