/** The kit for Node and Bun: with a daemon, and views on disk. */

export * from '../index.ts';
export { answerContextCommand, createRecallText, createStatsText, pinForPerson } from '../lookups.ts';
export { createDaemon, type PluginDaemon } from './daemon.ts';
export { createViewFiles } from './viewFiles.ts';
