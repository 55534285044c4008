import { z } from 'zod';
import { printedText } from '../documents/fonts';
import { emailAddress } from '../platform/domain/email';
import {
  countryCode,
  crossField,
  postCodeRule,
  property,
  type ReportField,
  text,
  withKnownState,
} from '../platform/domain/fields';
import { normalParty } from '../platform/normal-address';
import { optionalPhone } from '../platform/phone';

/** Optional text. Null counts as missing. Blank text is accepted here and dropped in consignment.ts. */
export const optionalText = (max: number) =>
  printedText(z.string().max(max))
    .nullish()
    .transform((value) => value ?? undefined);

/** Required text that labels and customs forms show: not blank, and with letters that can be printed. */
export const requiredText = (max: number) => printedText(text(max)).transform((value) => value.trim());

/** An optional field. Null counts as missing. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

const email = z
  .string()
  .max(254)
  .refine((value) => value.trim() === '' || emailAddress.safeParse(value.trim()).success, 'Not an email address.')
  .nullish()
  .transform((value) => value ?? undefined);

/** Address fields that are required in some countries only (schema `ShippingGroupAddress`). */
const REQUIRED_IN_COUNTRY: Readonly<Record<string, readonly string[]>> = {
  DE: ['street', 'houseNumber'],
  AU: ['suburb'],
  NZ: ['suburb'],
};

export function requireField(
  value: unknown,
  name: string,
  report: ReportField,
  path: readonly (string | number)[],
  reason: string,
): void {
  const found = property(value, name);
  if (found === undefined || found === null) {
    report([...path, name], `This field is required ${reason}.`, 'MISSING_FIELD_ERROR');
  } else if (typeof found === 'string' && found.trim() === '') {
    report([...path, name], `This field must not be blank ${reason}.`, 'IS_BLANK_ERROR');
  }
}

const addressSchema = crossField(
  withKnownState(
    z.object({
      country: countryCode,
      state: optionalText(100),
      city: requiredText(100),
      postcode: printedText(z.string().max(100)).describe('Blank in countries without post codes.'),
      addressLine1: requiredText(255).describe('Street and house number.'),
      addressLine2: optionalText(255),
      addressLine3: optionalText(255),
      street: optionalText(255).describe('Required for addresses in Germany.'),
      houseNumber: optionalText(100).describe('Required for addresses in Germany.'),
      suburb: optionalText(100).describe('Required for addresses in Australia and New Zealand.'),
    }),
  ),
  (address, report) => {
    postCodeRule(address, 'postcode', report);
    const country = property(address, 'country');
    const fields =
      typeof country === 'string' && Object.hasOwn(REQUIRED_IN_COUNTRY, country) ? REQUIRED_IN_COUNTRY[country]! : [];
    for (const field of fields) requireField(address, field, report, [], `for addresses in ${country}`);
  },
).meta({ id: 'ShippingGroupAddress' });

const receiver = z
  .object({
    person: z.object({
      firstName: requiredText(100),
      lastName: requiredText(100),
      company: optionalText(255),
      email: email.describe('Required by some carriers.'),
      phone: optional(optionalPhone).describe('Required by some carriers.'),
    }),
    address: addressSchema,
    customs: optional(z.object({ vatNumber: optionalText(35) })),
  })
  .meta({ id: 'ShippingReceiver' });

export const receiverSchema = z.preprocess(normalParty, receiver);

const sender = z
  .object({
    person: z.object({
      firstName: optionalText(100),
      lastName: optionalText(100),
      company: requiredText(255),
      email,
      phone: optional(optionalPhone),
    }),
    address: addressSchema,
    customs: optional(
      z.object({
        vatNumber: optionalText(35),
        iossNumber: optionalText(35),
        eoriNumber: optionalText(35),
        pcccNumber: optionalText(35),
        australianBusinessNumber: optionalText(35),
      }),
    ).describe('Required for international shipping.'),
  })
  .meta({ id: 'ShippingSender' });

export const senderSchema = z.preprocess(normalParty, sender);
