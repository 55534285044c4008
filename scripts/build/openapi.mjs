/** The OpenAPI document of the routes of this source tree. */
import { requireTypeScript } from './load-typescript.mjs';

/** Placeholder for the dependencies of the routes. Describing routes calls none of them. */
const hollow = new Proxy(() => undefined, {
  get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : hollow),
  apply: () => hollow,
});

/** Returns the document. @param serverUrl base URL of the API */
export function openApiDocument(serverUrl = 'http://localhost') {
  const require = requireTypeScript(import.meta.url);
  const { openApiDocument: describe } = require('../../api/http/openapi-document');
  const { allRoutes } = require('../../api/routes');
  return describe(allRoutes(hollow), serverUrl);
}
