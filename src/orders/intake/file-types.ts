import type { ProductKind } from '../../catalog/domain/product';

/** The form of a file type name. Workflow-enabled products accept every such name. */
export const FILE_TYPE_PATTERN = /^[A-Za-z0-9_.-]{1,100}$/;

/** Returns true when a product accepts files of a type. */
export function acceptsFileType(
  product: {
    readonly kind: ProductKind;
    readonly workflowEnabled: boolean;
    readonly fileTypes: readonly string[];
  },
  type: string,
): boolean {
  return product.workflowEnabled || product.fileTypes.includes(type);
}
