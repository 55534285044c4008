/**
 * Jest's transform of test files: jest runs one call in place of the file, and the call lets Node load the file (environment.js).
 */
exports.process = () => ({ code: 'loadInNode(__filename, jest);' });
