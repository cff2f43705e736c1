/** Agents' transcripts: how they are recognized, read, measured and written. Other folders import only this file. */

export * from './agents.ts';
export * from './antigravity/arguments.ts';
export * from './antigravity/results.ts';
export * from './callRules.ts';
export * from './claudeCode/agent.ts';
export * from './claudeCode/limit.ts';
export * from './claudeCode/persistedOutput.ts';
export * from './claudeCode/teammates.ts';
export * from './names.ts';
export * from './outline.ts';
export type * from './reading/agent.ts';
export * from './reading/calls.ts';
export * from './reading/events.ts';
export * from './reading/injected.ts';
export * from './reading/limit.ts';
export * from './reading/lines.ts';
export * from './reading/locations.ts';
export * from './reading/settings.ts';
export * from './reading/tools.ts';
export * from './reading/usage.ts';
export * from './skipPrefix.ts';
export * from './splitDocument.ts';
export * from './transcriptEnd.ts';
export * from './write/file.ts';
export * from './write/portable.ts';
export * from './write/session.ts';
