/**
 * The API for other extensions. An agent extension uses it like this:
 *
 *     const extension = vscode.extensions.getExtension<ContextExports>('contextd.contextd-vscode');
 *     if (!extension) throw new Error('contextd is not installed');
 *     const context = (await extension.activate()).getApi(1);
 *     const session = await context.openSession({ model: 'claude-sonnet-4-5' });
 *     await session.append(messages, { format: 'anthropic' });
 *     const { messages } = await session.prepare({ format: 'anthropic' });
 *
 * Version 1 only grows: nothing in it is renamed or removed.
 */

import type { CancellationToken, Disposable, Event, Uri } from 'vscode';
import type {
	CompactReceipt,
	CompactResult,
	PrepareResult,
	RecoverResult,
	UndoResult,
} from '../../../server/protocol/compact.ts';
import type { FormatName, ModelRequest, Usage } from '../../../server/protocol/conversation.ts';
import type { ReadFileResult } from '../../../server/protocol/files.ts';
import type { CountParams, CountResult } from '../../../server/protocol/measuring.ts';
import type { TruncateToolOutputParams, TruncateToolOutputResult } from '../../../server/protocol/output.ts';
import type { ErrorClass } from '../../../server/protocol/overflow.ts';
import type { AppendResult, OpenParams, RewindResult } from '../../../server/protocol/session.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';

/** The format of messages, by default `contextd`, and a token that cancels the call. */
export interface FormatOption {
	format?: FormatName;
	token?: CancellationToken;
}

export interface SessionOptions extends Omit<OpenParams, 'workspace'> {
	/** The folder that the agent works in; by default the first of the workspace. */
	workspace?: Uri;
}

export interface ContextSession extends Disposable {
	readonly sessionId: string;
	/** Number of visible messages when the session was opened. */
	readonly messageCount: number;
	/** Fires when the session's stats change. */
	readonly onDidChange: Event<ContextStats | null>;
	/** Fires after this window or another client compacted the session. */
	readonly onDidCompact: Event<CompactReceipt>;
	/** Appends messages, all or none of them; resolves once they are on disk. */
	append(messages: readonly unknown[], options?: FormatOption): Promise<AppendResult>;
	/** Reports token usage that the provider sent after its message was appended. */
	reportUsage(messageId: string, usage: Usage, stopReason?: string): Promise<ContextStats | null>;
	/** Returns the messages to send to the model next; compacts them first if necessary. Call it before each request. */
	prepare(options?: FormatOption & { request?: ModelRequest }): Promise<PrepareResult>;
	/** Handles a provider's error: after an overflow, compacts and returns the messages to send again. */
	recover(
		error: unknown,
		options?: FormatOption & { request?: ModelRequest; attempt?: number },
	): Promise<RecoverResult>;
	/** Returns how full the window is; null if there are no messages. */
	stats(request?: ModelRequest): Promise<ContextStats | null>;
	compact(options?: { instructions?: string; targetTokens?: number }): Promise<CompactResult | null>;
	/** Undoes the compaction or rewind with this id; without an id, the newest. */
	undo(compactionId?: string): Promise<UndoResult>;
	/** Hides everything after a message; `undo` restores it. */
	rewind(messageId: string): Promise<RewindResult>;
	/** Pins or unpins messages or files. */
	pin(targets: { messageIds?: string[]; uris?: Uri[] }, pinned: boolean): Promise<void>;
	/** Sets another model, or parts of future requests such as the system prompt. */
	update(change: {
		provider?: string;
		model?: string;
		title?: string;
		request?: ModelRequest;
	}): Promise<void>;
	/** Reads a file within the session's file budget. The first line has number 1. */
	readFile(
		uri: Uri,
		lines?: { startLine?: number; endLine?: number; toolCallId?: string },
	): Promise<ReadFileResult>;
}

/** The session that the meter shows. */
export interface CurrentSession {
	readonly sessionId: string;
	readonly title?: string;
	/** The agent whose transcript the session follows; absent if an agent of this editor or a plugin appends the messages. */
	readonly agent?: { readonly id: string; readonly name: string };
	/** How full the window is, as the meter shows it: `63%`, or `~63%` for a guess; null if nothing is measured yet. */
	readonly percent: string | null;
	/** The session's stats; null if the session has no messages. */
	readonly stats: ContextStats | null;
}

export interface ContextApi {
	readonly version: 1;
	/** The session that the meter shows; null if it shows none. */
	readonly currentSession: CurrentSession | null;
	/** Fires when the meter shows another session, or other figures of the same session. */
	readonly onDidChangeCurrentSession: Event<CurrentSession | null>;
	/** Opens a session, or resumes one by its id, and shows it in the meter. */
	openSession(options?: SessionOptions): Promise<ContextSession>;
	/** Counts tokens without a session. */
	count(params: CountParams): Promise<CountResult>;
	/** Shortens a tool's output to the part that a model should see. */
	truncateToolOutput(params: TruncateToolOutputParams): Promise<TruncateToolOutputResult>;
	/** Returns whether a provider's error indicates a context overflow. */
	classifyError(error: unknown): Promise<ErrorClass>;
}

/** The exports of the extension, as `activate()` returns them. */
export interface ContextExports {
	/** Returns the API of a version. Throws if this version of the extension does not have it. */
	getApi(version: 1): ContextApi;
}
