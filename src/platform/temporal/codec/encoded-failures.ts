import { CleanFailureConverter } from './failures';

/** Moves messages and stack traces of failures into payloads, where the codec encrypts them. */
export const failureConverter = new CleanFailureConverter({ encodeCommonAttributes: true });
