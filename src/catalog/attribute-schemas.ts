import { z } from 'zod';
import { repeatsOf, text } from '../platform/domain/fields';
import { attributeId, timestamp } from './fields';

const propertyValue = z.union([z.string().max(1_000), z.number(), z.array(z.string().max(1_000)).max(100)]);

export const attributeValue = z.object({
  id: attributeId,
  description: z.string().max(1_000).nullable().default(null),
  properties: z
    .record(z.string().min(1).max(100), propertyValue)
    .refine((given) => Object.keys(given).length <= 100, 'No more than 100 properties')
    .default({}),
  isCustom: z.boolean().default(false).describe('Accepts any input, such as a page count'),
  isDefault: z
    .boolean()
    .default(false)
    .describe('The default selection when the attribute is added to a new product model'),
});

export const attributeValues = z
  .array(attributeValue)
  .min(1)
  .max(1_000)
  .check(({ value, issues }) => {
    const defaults = value.flatMap(({ isDefault }, at) => (isDefault ? [at] : []));
    for (const at of defaults.slice(1)) {
      const message = 'An attribute can have only one default value.';
      issues.push({ code: 'custom', message, path: [at, 'isDefault'], input: true });
    }
    for (const at of repeatsOf(value.map(({ id }) => id))) {
      const input = value[at]!.id;
      issues.push({ code: 'custom', message: `Id "${input}" is listed twice.`, path: [at, 'id'], input });
    }
  })
  .meta({ examples: [[{ id: 'xxxl', description: 'XXXL', properties: { order: 7 } }]] });

export const storedAttributeValue = z
  .object({
    id: z.string(),
    description: z.string().optional().describe('Absent when none was given'),
    properties: z
      .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
      .describe('Includes computed properties: rgb and cmyk for a hex colour code, inches for millimetres'),
    isCustom: z.boolean(),
    isDefault: z.boolean(),
    attributeId: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'AttributeValue' });

const propertyDefinition = z.object({
  id: text(100),
  description: z.string().max(1_000).default(''),
  type: text(50).default('string'),
});

export const attribute = z
  .object({
    description: text(1_000),
    properties: z.array(propertyDefinition).max(100).default([]),
  })
  .meta({ examples: [{ description: 'Size of a garment' }] });

export type PropertyValue = z.output<typeof propertyValue>;
export type PropertyDefinition = z.output<typeof propertyDefinition>;
export type AttributeValue = z.output<typeof attributeValue>;
export type Attribute = z.output<typeof attribute> & { readonly id: string };
