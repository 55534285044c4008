/**
 * supertest, whose expectations count as assertions of the running test (setup.ts). jest.config.js maps `supertest` to this
 * file. It is JavaScript because supertest's type declarations leave out `Test.prototype.assert`, which checks a response.
 */
const request = require('../../../node_modules/supertest');

const { prototype } = request.Test;
const { expect: addExpectation, assert: checkExpectations } = prototype;
const withExpectations = new WeakSet();

prototype.expect = function (...expectation) {
  withExpectations.add(this);
  return addExpectation.apply(this, expectation);
};

prototype.assert = function (...response) {
  if (withExpectations.has(this)) expect.setState({ assertionCalls: expect.getState().assertionCalls + 1 });
  return checkExpectations.apply(this, response);
};

module.exports = request;
