import type { ProductKind } from '../../catalog/domain/product';

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
