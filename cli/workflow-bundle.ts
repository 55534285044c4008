import { join } from 'node:path';
import { projectRoot } from '../src/platform/project-root';

/** The workflow bundle that scripts/build/build.mjs creates. */
export const workflowBundle = { codePath: join(projectRoot(), 'dist', 'workflow-bundle.js') };
