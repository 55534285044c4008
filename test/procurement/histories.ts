import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/**
 * Histories of procurement orders' runs, which any later version must be able to go on with. Recorded anew, after a
 * change that is meant to break running orders, by RECORD_HISTORIES=1 npx jest test/api/procurement-operator
 */
export const PROCUREMENT_HISTORIES = join(projectRoot(), 'test', 'procurement', 'histories');
