import { ContinueAsNew, proxySinks, type Sinks, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { isJobWorkflow } from '../src/platform/domain/periodic-jobs';

/** Receives the end of every run of a periodic job. The worker implements it (src/platform/temporal/periodic-jobs.ts). */
export interface JobRunSinks extends Sinks {
  jobRuns: {
    ended(run: { readonly startedAt: number; readonly endedAt: number; readonly error: string | null }): void;
  };
}

/**
 * Interceptor that reports the ends of periodic jobs. A sink adds no event to the history, and it is not called again when a
 * history is replayed.
 */
export const interceptors = (): WorkflowInterceptors => {
  const { workflowType } = workflowInfo();
  if (!isJobWorkflow(workflowType)) return {};
  const { jobRuns } = proxySinks<JobRunSinks>();
  return {
    inbound: [
      {
        async execute(input, next) {
          const { startTime } = workflowInfo();
          const end = (error: string | null) =>
            jobRuns.ended({ startedAt: startTime.getTime(), endedAt: Date.now(), error });
          try {
            const result = await next(input);
            end(null);
            return result;
          } catch (error) {
            if (!(error instanceof ContinueAsNew)) end(error instanceof Error ? error.message : String(error));
            throw error;
          }
        },
      },
    ],
  };
};
