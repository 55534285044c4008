/** The package @pressline/client. */

export type { Operations } from './operations';
export {
  type CallOptions,
  type ClientOptions,
  createPresslineClient as createClient,
  type FieldFault,
  type PresslineClient,
  PresslineError,
} from './pressline-client';
export * from './webhooks';
