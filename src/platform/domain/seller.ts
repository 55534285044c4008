import { z } from 'zod';
import { countryCode, electronicAddress, text } from './fields';

/** Who issues statements: the environment variable SELLER. */
export const sellerSchema = z.strictObject({
  name: text(200),
  vatNumber: z.string().regex(/^[A-Z]{2}[A-Z\d+*]{2,13}$/, 'Must begin with the prefix of its state.'),
  companyNumber: text(50).optional(),
  addressLine1: text(200),
  addressLine2: text(200).optional(),
  city: text(100),
  postCode: text(20),
  country: countryCode,
  email: z.email(),
  electronicAddress: electronicAddress.optional(),
  iban: z.string().regex(/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/, 'Must be an IBAN without spaces.'),
  bic: z
    .string()
    .regex(/^[A-Z\d]{8}([A-Z\d]{3})?$/)
    .optional(),
  /** Days from the issue of a statement until it is due. */
  paymentDays: z.int().min(0).max(365),
});
export type Seller = z.output<typeof sellerSchema>;

/** Parses the JSON of a seller. Returns undefined for any other text. */
export function parseSeller(json: string): Seller | undefined {
  try {
    return sellerSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
