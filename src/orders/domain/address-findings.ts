import { z } from 'zod';

/** What can be wrong with an address so that a parcel would not arrive, and how bad it is. */
const SEVERITIES = {
  post_code_form: 'error',
  state_missing: 'error',
  line_too_long: 'error',
  unprintable_letters: 'error',
  territory_without_service: 'error',
  no_house_number: 'warning',
  phone_form: 'warning',
  carrier_doubt: 'warning',
} as const satisfies Record<string, 'error' | 'warning'>;

export const ADDRESS_FINDINGS = Object.keys(SEVERITIES) as (keyof typeof SEVERITIES)[];

export const addressFindingSchema = z
  .object({
    code: z.enum(ADDRESS_FINDINGS),
    severity: z.enum(['error', 'warning']),
    field: z.string().describe('Field of the address.'),
    message: z.string().describe('What is wrong, and what to do.'),
    suggestion: z.string().nullable().describe('What the field probably is. Null: not known.'),
  })
  .meta({ id: 'AddressFinding' });
export type AddressFinding = z.output<typeof addressFindingSchema>;

/** Findings that the address alone does not show: of carriers, and of the plan. */
export interface StoredFindings {
  readonly addressId: string;
  readonly findings: readonly AddressFinding[];
}

export const addressFinding = (
  code: AddressFinding['code'],
  field: string,
  message: string,
  suggestion: string | null = null,
): AddressFinding => ({ code, severity: SEVERITIES[code], field, message, suggestion });
