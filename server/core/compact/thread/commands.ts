/** Commands by what they do, whatever stands around them. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { touchesOf } from '../../files/touchesOf.ts';
import { isFields } from '../../shape.ts';

const around =
	/^(?:cd\s+\S+\s*(?:&&|;)\s*|export\s+\S+\s*(?:&&|;)\s*|[A-Z_][A-Z0-9_]*=\S*\s+|sudo\s+|time(?:out\s+\d+\w?)?\s+|env\s+)+/;
const behind =
	/\s*(?:2>&1|\d?>\s*\S+|<\s*\S+|\|\s*(?:tail|head|grep|cat|tee|less|wc|sort|uniq)\b[^|&;]*|;\s*echo\b.*|&&\s*echo\b.*)\s*/g;
const checks =
	/\b(?:tests?|spec|jest|vitest|mocha|pytest|unittest|tox|cargo|go (?:test|build|vet)|build|compile|tsc|typecheck|type-check|lint|eslint|biome|ruff|mypy|golangci|fmt|format|check|make|mvn|gradle|bench\w*|hyperfine|time|run ci|verify)\b/i;

/** The command of a shell's call, in one line; undefined where the call has none. */
export function commandOf(call: ToolCall): string | undefined {
	const { args } = call;
	if (!isFields(args)) return undefined;
	const { command, cmd } = args;
	const value = command ?? cmd;
	if (typeof value === 'string') return value;
	if (Array.isArray(value)) return value.filter((one) => typeof one === 'string').join(' ');
	return undefined;
}

/** What a call did, so that two that did the same have the same key; undefined where nothing can be compared. */
export function actionOf(call: ToolCall): string | undefined {
	const command = commandOf(call);
	if (command !== undefined) {
		const plain = command.replace(/\s+/g, ' ').trim().replace(around, '').replace(behind, ' ').trim();
		return plain === '' ? undefined : plain.slice(0, 100);
	}
	const path = touchesOf(call)[0]?.path;
	return path === undefined ? undefined : `${call.name} ${path}`;
}

/** Whether a command checks or measures the work: tests, builds, linters, benchmarks. */
export function isCheck(call: ToolCall): boolean {
	const command = commandOf(call);
	return (
		command !== undefined &&
		checks.test(command.slice(0, 400)) &&
		!/^\s*(?:cat|sed|head|tail|grep|rg|ls|find|git (?:log|diff|show|status))\b/.test(command)
	);
}

const lookingTool = /^(?:read|glob|grep|ls|view|list|find|search|open|cat)/i;
const lookingCommand = /^\s*(?:cd \S+ && )?(?:cat|sed -n|ls|head|tail|rg|grep|find|nl|wc)\b/;

/** Whether a call only looks at what is there. */
export function isLook(call: ToolCall): boolean {
	return lookingTool.test(call.name) || lookingCommand.test(commandOf(call) ?? '');
}
