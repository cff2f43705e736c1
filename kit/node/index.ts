/** The kit with what it stands on in Node and Bun: a daemon, and views on disk. */

export * from '../index.ts';
export { commandText, pinText, recallText, statsText } from '../lookups.ts';
export { createDaemon, type PluginDaemon } from './daemon.ts';
export { viewFiles } from './viewFiles.ts';
