import { DefaultFailureConverter } from '@temporalio/common';

/** Moves messages and stack traces of failures into payloads, where the codec encrypts them. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
