#!/usr/bin/env node
/**
 * Entry point. Checks the Node version before it loads anything else: on an older Node a package may fail to load, with
 * an error that does not name the cause.
 */
import { unsupportedNode } from './node-version';

const problem = unsupportedNode(process.versions.node);
if (problem === undefined) {
  import('./program.js');
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
