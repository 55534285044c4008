import { CleanFailureConverter } from './failures';

/**
 * Failure converter of workflow code, and of processes that do not encrypt. Workflow code cannot read the configuration, so a worker
 * that encrypts replaces this word in the bundle (workflow-bundle.ts). Otherwise failures are readable in the Temporal UI.
 */
const MESSAGES: string = 'pressline:failure-messages:plain';

export const failureConverter = new CleanFailureConverter({
  encodeCommonAttributes: MESSAGES.endsWith(':encoded'),
});
