/** The kit for Node and Bun: with a daemon, and views on disk. */

export * from '../index.ts';
export { commandAnswerText, pinText, recallText, statsText } from '../lookups.ts';
export { createDaemon, type PluginDaemon } from './daemon.ts';
export { viewFiles } from './viewFiles.ts';
