import { DefaultFailureConverter, type PayloadConverter, type ProtoFailure } from '@temporalio/common';
import { cutText } from '../../domain/foreign-text';

/** In code points. */
const LONGEST_MESSAGE = 2_000;
const LONGEST_STACK_TRACE = 8_000;

/**
 * Converts errors to failures whose texts are clean and bounded. The SDK passes failures to its core as protocol buffers. The core
 * cannot decode a text that is not well-formed, and ends the worker.
 */
export class CleanFailureConverter extends DefaultFailureConverter {
  override errorToFailureInner(
    error: unknown,
    ...rest: [PayloadConverter, context?: Parameters<DefaultFailureConverter['errorToFailureInner']>[2]]
  ): ProtoFailure {
    const failure = super.errorToFailureInner(error, ...rest);
    const { message, stackTrace, applicationFailureInfo: info } = failure;
    const shown = message && cutText(message, LONGEST_MESSAGE);
    return {
      ...failure,
      ...(message && shown && { message: shown }),
      // The stack trace begins with the message.
      ...(stackTrace && {
        stackTrace: cutText(
          stackTrace.replace(message ?? '', () => shown ?? ''),
          LONGEST_STACK_TRACE,
        ),
      }),
      ...(info?.type && { applicationFailureInfo: { ...info, type: cutText(info.type, LONGEST_MESSAGE) } }),
    };
  }
}

/** The global variable that a worker with encryption sets in front of the bundle (`bundleFor`). */
export const ENCODES_FAILURES = 'presslineEncodesFailures';

/** Failure converter of workflow code, and of processes that do not encrypt. Without encryption, the Temporal UI shows the messages. */
export const failureConverter = new CleanFailureConverter({
  encodeCommonAttributes: Object.hasOwn(globalThis, ENCODES_FAILURES),
});
