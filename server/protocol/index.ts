/** The wire contract: every message, and every shape that crosses the wire. */

export * from './capabilities.ts';
export * from './chain.ts';
export * from './compact.ts';
export * from './compaction.ts';
export * from './conversation.ts';
export * from './declaration.ts';
export * from './errors.ts';
export * from './files.ts';
export * from './history.ts';
export * from './lsp.ts';
export * from './measuring.ts';
export * from './output.ts';
export * from './overflow.ts';
export * from './push.ts';
export * from './recorder.ts';
export * from './report.ts';
export * from './session.ts';
export * from './settingParts.ts';
export * from './settings.ts';
export * from './sources.ts';
export * from './stats.ts';
export * from './transcript.ts';
export * from './validate.ts';
