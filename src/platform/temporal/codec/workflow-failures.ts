import { DefaultFailureConverter } from '@temporalio/common';

/**
 * The failure converter of workflow code, which runs apart and can read no configuration: a worker that encrypts
 * exchanges this word in the bundle (workflow-bundle.ts). Failures are otherwise readable in the Temporal UI.
 */
const MESSAGES: string = 'pressline:failure-messages:plain';

export const failureConverter = new DefaultFailureConverter({
  encodeCommonAttributes: MESSAGES.endsWith(':encoded'),
});
