/** Runs in every test file before its tests (jest.config.js, setupFilesAfterEnv). */

// A test that ends without an assertion fails. Such a test proves nothing, or its assertions were never reached.
beforeEach(() => expect.hasAssertions());
