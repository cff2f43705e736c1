/** What Claude Code writes down of its requests: the system prompt, the tools, and what it announces in reminders. */

import type { Fields } from '../../shape.ts';
import type { ToldPart, ToldRequest, ToldTools } from '../reading/events.ts';
import { asText, fieldsOf, firstText, listOf } from '../reading/values.ts';

/** Collects what attachments tell of the requests. */
export interface RequestTeller {
	/** The request as it is told now; undefined where the attachment says nothing of it. */
	take(attachment: Fields): ToldRequest | undefined;
}

export function requestTeller(): RequestTeller {
	let systemPrompt: ToldPart[] = [];
	let tools: ToldTools[] = [];
	const announced = new Map<string, string>();
	const announce = (name: string, text: string | undefined): boolean => {
		if (text === undefined || text === '') return false;
		announced.set(name, text);
		return true;
	};
	const learn = (attachment: Fields): boolean => {
		switch (attachment.type) {
			case 'prompt_snapshot':
				systemPrompt = promptParts([attachment.cliPrefix, ...listOf(attachment.systemPrompt)]);
				if (Array.isArray(attachment.tools)) tools = toolParts(attachment.tools);
				return true;
			case 'skill_listing':
				return announce('Skills', firstText(attachment.content));
			case 'agent_listing_delta':
				return announce('Agents', listOf(attachment.addedLines).map(asText).join('\n'));
			case 'deferred_tools_delta':
				return announce('Deferred tools', listOf(attachment.addedLines).map(asText).join('\n'));
			case 'session_context': {
				const { claudeMd, gitStatus } = fieldsOf(attachment.context);
				const isMemory = announce('Memory files', firstText(claudeMd));
				return announce('Git status', firstText(gitStatus)) || isMemory;
			}
			default:
				return false;
		}
	};
	return {
		take(attachment) {
			if (!learn(attachment)) return undefined;
			return { systemPrompt, tools, other: [...announced].map(([name, text]) => ({ name, text })) };
		},
	};
}

/** The blocks of the system prompt by their headings; those without one are the agent's instructions. */
function promptParts(blocks: readonly unknown[]): ToldPart[] {
	return blocks.flatMap((block) => {
		const text = firstText(block);
		if (text === undefined) return [];
		return [{ name: /^\s*# ([^\n]{1,80})/.exec(text)?.[1] ?? 'Instructions', text }];
	});
}

/** The tools by name; those of an MCP server under that server's name. */
function toolParts(declarations: readonly unknown[]): ToldTools[] {
	const parts = new Map<string, unknown[]>();
	for (const declaration of declarations) {
		const tool = firstText(fieldsOf(declaration).name) ?? 'unknown';
		const server = /^mcp__(.+?)__/.exec(tool)?.[1];
		const name = server === undefined ? tool : `${server} (MCP)`;
		parts.set(name, [...(parts.get(name) ?? []), declaration]);
	}
	return [...parts].map(([name, definitions]) => ({ name, definitions }));
}
