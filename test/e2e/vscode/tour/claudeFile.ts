/** A transcript of Claude Code in the home of a run, with the messages of a story. */

import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { RequestSizes } from './requestSizes.ts';
import type { StoryMessage } from './story.ts';

/** The folders that decide where Claude Code stores a session. */
export interface ClaudeFolders {
	/** The user's home. */
	base: string;
	workspace: string;
}

/** Writes a session's file as Claude Code does: a line per message, with usage figures in each answer. */
export class ClaudeFile {
	/** Path of the file. Set it after moving the file. */
	path: string;
	readonly #common: object;
	readonly #sizes = new RequestSizes();
	#lines = 0;
	#parent: string | null = null;

	constructor({ base, workspace }: ClaudeFolders, sessionId: string) {
		const project = path.join(base, '.claude/projects', workspace.replace(/[^a-zA-Z0-9]/g, '-'));
		mkdirSync(project, { recursive: true });
		this.path = path.join(project, `${sessionId}.jsonl`);
		this.#common = { sessionId, cwd: workspace, version: '2.0.0', isSidechain: false, userType: 'external' };
	}

	/** Appends messages in one write. */
	append(messages: readonly StoryMessage[]): void {
		appendFileSync(
			this.path,
			messages.map((message) => `${JSON.stringify(this.#record(message))}\n`).join(''),
		);
	}

	/** Appends what Claude Code writes when it compacts: a boundary, and a summary that the next messages follow. */
	compact(summary: string): void {
		const compactMetadata = { trigger: 'auto', preTokens: this.#sizes.tokens };
		const boundary = {
			...this.#head('system'),
			parentUuid: null,
			subtype: 'compact_boundary',
			compactMetadata,
		};
		this.#sizes.restart();
		const record = { ...this.#record({ role: 'user', content: summary }), isCompactSummary: true };
		appendFileSync(this.path, `${JSON.stringify(boundary)}\n${JSON.stringify(record)}\n`);
	}

	#record(message: StoryMessage): object {
		return { ...this.#head(message.role), message: this.#sizes.sent(message) };
	}

	#head(type: string): object {
		const uuid = `line-${++this.#lines}`;
		const head = {
			...this.#common,
			type,
			uuid,
			parentUuid: this.#parent,
			timestamp: new Date().toISOString(),
		};
		this.#parent = uuid;
		return head;
	}
}
