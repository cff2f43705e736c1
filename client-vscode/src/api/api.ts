/**
 * What the extension gives to other extensions. An agent extension asks for it like this:
 *
 *     const extension = vscode.extensions.getExtension('contextd.contextd-vscode');
 *     const context = (await extension.activate()).getApi(1);
 *     const session = await context.openSession({ model: 'claude-sonnet-4-5' });
 *     await session.append(messages, { format: 'anthropic' });
 *     const { messages } = await session.prepare({ format: 'anthropic' });
 *
 * Version 1 only grows: nothing in it is renamed or dropped.
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
import type { TruncateToolOutputParams, TruncateToolOutputResult } from '../../../server/protocol/output.ts';
import type { ErrorClass } from '../../../server/protocol/overflow.ts';
import type { AppendResult, OpenParams, RewindResult } from '../../../server/protocol/session.ts';
import type { ContextStats, CountParams, CountResult } from '../../../server/protocol/stats.ts';

/** How messages are written that go in or come out; `contextd` where absent. */
export interface InFormat {
	format?: FormatName;
	token?: CancellationToken;
}

export interface SessionOptions extends Omit<OpenParams, 'workspace'> {
	/** The folder that the agent works in; the first of the workspace where absent. */
	workspace?: Uri;
}

export interface ContextSession extends Disposable {
	readonly sessionId: string;
	/** Visible messages when it was opened. */
	readonly messageCount: number;
	/** The session's figures changed. */
	readonly onDidChange: Event<ContextStats | null>;
	/** The session was compacted, by whomever. */
	readonly onDidCompact: Event<CompactReceipt>;
	/** Adds messages; resolves once they are on disk; all of them or none. */
	append(messages: readonly unknown[], options?: InFormat): Promise<AppendResult>;
	/** Figures of the provider that came after the message they belong to. */
	reportUsage(messageId: string, usage: Usage, stopReason?: string): Promise<ContextStats | null>;
	/** What to send to the model next; makes room first where that is due. Call it before each request. */
	prepare(options?: InFormat & { request?: ModelRequest }): Promise<PrepareResult>;
	/** What to do after a provider's error; an overflow is compacted, and the messages to send again come back. */
	recover(
		error: unknown,
		options?: InFormat & { request?: ModelRequest; attempt?: number },
	): Promise<RecoverResult>;
	/** How full the window is; null while there are no messages. */
	stats(request?: ModelRequest): Promise<ContextStats | null>;
	compact(options?: { instructions?: string; targetTokens?: number }): Promise<CompactResult | null>;
	/** Takes the last compaction or rewind back, or the one that is named. */
	undo(compactionId?: string): Promise<UndoResult>;
	/** Everything after a message leaves the history; `undo` brings it back. */
	rewind(messageId: string): Promise<RewindResult>;
	/** Pins messages or files, or takes pins off. */
	pin(what: { messageIds?: string[]; uris?: Uri[] }, pinned: boolean): Promise<void>;
	/** Sets what surrounds the history in the calls to come, or another model. */
	update(change: {
		provider?: string;
		model?: string;
		title?: string;
		request?: ModelRequest;
	}): Promise<void>;
	/** Reads a file within what the window still holds. Lines from 1. */
	readFile(
		uri: Uri,
		lines?: { startLine?: number; endLine?: number; toolCallId?: string },
	): Promise<ReadFileResult>;
}

export interface ContextApi {
	readonly version: 1;
	/** Opens a session, or resumes one by its id, and shows it in the meter. */
	openSession(options?: SessionOptions): Promise<ContextSession>;
	/** Counts without a session. */
	count(params: CountParams): Promise<CountResult>;
	/** Cuts a tool's output down to what a model should see. */
	truncateToolOutput(params: TruncateToolOutputParams): Promise<TruncateToolOutputResult>;
	/** Whether a provider's error says that the context overflowed. */
	classifyError(error: unknown): Promise<ErrorClass>;
}

/** What `activate()` of the extension resolves to. */
export interface ContextExports {
	/** The API of a version. Throws where this version of the extension does not have it. */
	getApi(version: 1): ContextApi;
}
