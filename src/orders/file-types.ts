import type { ProductKind } from '../catalog/domain/product';

/** File types of products that are not enabled for the workflow builder (interface "Order (as submitted)"). */
export const STANDARD_FILE_TYPES = [
  'default',
  'front',
  'back',
  'cover',
  'neck-inner',
  'neck-outer',
  'sleeve-left',
  'sleeve-right',
  'inside',
  'chest-left-embroidery',
  'chest-center-embroidery',
  'chest-large-embroidery',
  'sleeve-left-embroidery',
  'sleeve-right-embroidery',
  'wrist-left-embroidery',
  'wrist-right-embroidery',
] as const;

/** What any file type name is made of; workflow-enabled products take every such name. */
export const FILE_TYPE_PATTERN = /^[A-Za-z0-9_.-]{1,100}$/;

/** Whether a product takes a file of this type. */
export function takesFileType(
  product: {
    readonly kind: ProductKind;
    readonly workflowEnabled: boolean;
    readonly fileTypes: readonly string[];
  },
  type: string,
): boolean {
  return product.workflowEnabled || product.fileTypes.includes(type);
}
