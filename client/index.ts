/** The package @pressline/client. */

export type * from './operations';
export {
  type CallOptions,
  type ClientOptions,
  createPresslineClient,
  type FieldFault,
  type PagedOperation,
  type PageItem,
  type PresslineClient,
  PresslineError,
} from './pressline-client';
export * from './webhooks';
