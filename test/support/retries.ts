/** Only where nobody watches; the failed try is printed all the same, and a test that keeps failing fails. */
if (process.env.CI) jest.retryTimes(2, { logErrorsBeforeRetry: true });
