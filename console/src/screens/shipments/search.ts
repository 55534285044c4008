import { texts } from '../../texts';

export type ParcelStatus = keyof typeof texts.shipments.statuses;
export const PARCEL_STATUSES = Object.keys(texts.shipments.statuses) as readonly ParcelStatus[];

/** The search and the filters of the lists, as the address holds them. */
export interface ShipmentsSearch {
  readonly q?: string | undefined;
  readonly problem?: 'true' | undefined;
  readonly status?: ParcelStatus | undefined;
}
