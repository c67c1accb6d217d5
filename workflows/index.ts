export { job } from './jobs/workflow.ts';
