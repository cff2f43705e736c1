/** What Claude Code records about its requests: system prompt, tools, and announcements in reminders. */

import type { Fields } from '../../shape.ts';
import { asFields, asList, asText, firstText } from '../../values.ts';
import type { RecordedRequest, RequestText, RequestTools } from '../reading/events.ts';

/** Collects what attachments reveal about the requests. */
export interface RequestTracker {
	/** Returns the request as known so far; undefined if the attachment reveals nothing. */
	read(attachment: Fields): RecordedRequest | undefined;
}

export function createRequestTracker(): RequestTracker {
	let systemPrompt: RequestText[] = [];
	let tools: RequestTools[] = [];
	const announced = new Map<string, string>();
	const announce = (name: string, text: string | undefined): boolean => {
		if (text === undefined || text === '') return false;
		announced.set(name, text);
		return true;
	};
	const apply = (attachment: Fields): boolean => {
		switch (attachment.type) {
			case 'prompt_snapshot':
				systemPrompt = splitSystemPrompt([attachment.cliPrefix, ...asList(attachment.systemPrompt)]);
				if (Array.isArray(attachment.tools)) tools = groupTools(attachment.tools);
				return true;
			case 'skill_listing':
				return announce('Skills', firstText(attachment.content));
			case 'agent_listing_delta':
				return announce('Agents', asList(attachment.addedLines).map(asText).join('\n'));
			case 'deferred_tools_delta':
				return announce('Deferred tools', asList(attachment.addedLines).map(asText).join('\n'));
			case 'session_context': {
				const { claudeMd, gitStatus } = asFields(attachment.context);
				const isMemory = announce('Memory files', firstText(claudeMd));
				return announce('Git status', firstText(gitStatus)) || isMemory;
			}
			default:
				return false;
		}
	};
	return {
		read(attachment) {
			if (!apply(attachment)) return undefined;
			return { systemPrompt, tools, other: [...announced].map(([name, text]) => ({ name, text })) };
		},
	};
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
	const parts = new Map<string, unknown[]>();
	for (const declaration of declarations) {
		const tool = firstText(asFields(declaration).name) ?? 'unknown';
		const server = /^mcp__(.+?)__/.exec(tool)?.[1];
		const name = server === undefined ? tool : `${server} (MCP)`;
		parts.set(name, [...(parts.get(name) ?? []), declaration]);
	}
	return [...parts].map(([name, definitions]) => ({ name, definitions }));
}
