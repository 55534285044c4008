export { recorder } from './recorder-workflow';
export { writer } from './writer-workflow';
