import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Failure converter of workflow code. Workflow code cannot read the configuration, so a worker that encrypts replaces this
 * word in the bundle (workflow-bundle.ts). Otherwise failures are readable in the Temporal UI.
 */
const MESSAGES: string = 'pressline:failure-messages:plain';

export const failureConverter = new DefaultFailureConverter({
  encodeCommonAttributes: MESSAGES.endsWith(':encoded'),
});
