/** What Claude Code records about its requests: system prompt, tools, and announcements in reminders. */

import { getOrInsert } from '../../getOrInsert.ts';
import type { Fields } from '../../shape.ts';
import { asFields, asList, asText, firstText } from '../../values.ts';
import type { RecordedRequest, RequestText, RequestTools } from '../reading/events.ts';

/** Collects what attachments reveal about the requests. */
export class RequestTracker {
	#systemPrompt: RequestText[] = [];
	#tools: RequestTools[] = [];
	readonly #announced = new Map<string, string>();

	/** Returns the request as known so far; undefined if the attachment reveals nothing. */
	read(attachment: Fields): RecordedRequest | undefined {
		if (!this.#apply(attachment)) return undefined;
		const other = [...this.#announced].map(([name, text]) => ({ name, text }));
		return { systemPrompt: this.#systemPrompt, tools: this.#tools, other };
	}

	#announce(name: string, text: string | undefined): boolean {
		if (text === undefined || text === '') return false;
		this.#announced.set(name, text);
		return true;
	}

	#apply(attachment: Fields): boolean {
		switch (attachment.type) {
			case 'prompt_snapshot':
				this.#systemPrompt = splitSystemPrompt([attachment.cliPrefix, ...asList(attachment.systemPrompt)]);
				if (Array.isArray(attachment.tools)) this.#tools = groupTools(attachment.tools);
				return true;
			case 'skill_listing':
				return this.#announce('Skills', firstText(attachment.content));
			case 'agent_listing_delta':
				return this.#announce('Agents', asList(attachment.addedLines).map(asText).join('\n'));
			case 'deferred_tools_delta':
				return this.#announce('Deferred tools', asList(attachment.addedLines).map(asText).join('\n'));
			case 'session_context': {
				const { claudeMd, gitStatus } = asFields(attachment.context);
				const isMemory = this.#announce('Memory files', firstText(claudeMd));
				return this.#announce('Git status', firstText(gitStatus)) || isMemory;
			}
			default:
				return false;
		}
	}
}

/** Names the blocks of the system prompt by their headings. Blocks without a heading are the agent's instructions. */
function splitSystemPrompt(blocks: readonly unknown[]): RequestText[] {
	return blocks.flatMap((block) => {
		const text = firstText(block);
		if (text === undefined) return [];
		return [{ name: /^\s*# ([^\n]{1,80})/.exec(text)?.[1] ?? 'Instructions', text }];
	});
}

/** Groups tool declarations by tool; the tools of an MCP server form one group with the server's name. */
function groupTools(declarations: readonly unknown[]): RequestTools[] {
	const definitionsByName = new Map<string, unknown[]>();
	for (const declaration of declarations) {
		const tool = firstText(asFields(declaration).name) ?? 'unknown';
		const server = /^mcp__(.+?)__/.exec(tool)?.[1];
		const name = server === undefined ? tool : `${server} (MCP)`;
		getOrInsert(definitionsByName, name, () => []).push(declaration);
	}
	return Array.from(definitionsByName, ([name, definitions]) => ({ name, definitions }));
}
