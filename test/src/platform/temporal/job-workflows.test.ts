import { PERIODIC_JOBS } from '../../../../cli/periodic-jobs';
import { isJobWorkflow, WORKFLOW_TYPES } from '../../../../src/platform/domain/workflows';

test('the workflows that report their runs are those of the periodic jobs', () => {
  const reporting = Object.values(WORKFLOW_TYPES).filter(isJobWorkflow);
  expect(reporting.sort()).toEqual(PERIODIC_JOBS.map(({ workflowType }) => workflowType).sort());
});
