/** Finds the text that JSON only wraps: the output of a command, the answer of a tool. */

import { isFields } from '../../shape.ts';
import { findExitCode } from './exitCodes.ts';

/** Names of members that contain a tool's answer: `{ type: 'text', text: '…' }`. */
const textNamePattern = /^(?:text|value|content|result|output|answer|markdown|body)$/;
/** Minimum share of a text in the JSON around it. */
const minTextShare = 0.6;
/** Maximum number of objects and lists around a text. */
const maxWrappers = 6;

/** Returns the text that a JSON value of `length` UTF-16 units only wraps; undefined if the value is data. */
export function findWrappedText(value: unknown, length: number): string | undefined {
	return findCommandOutput(value) ?? findAnswer(value, length);
}

/** Returns the output of a command, below its exit code if it failed, from a JSON wrapper around it, as of Codex and mini-SWE-agent. */
function findCommandOutput(value: unknown): string | undefined {
	if (!isFields(value)) return undefined;
	const { output, metadata, exit_code, returncode } = value;
	const stated = exit_code ?? returncode;
	if (typeof output !== 'string' || (metadata === undefined && stated === undefined)) return undefined;
	const code = stated ?? (isFields(metadata) ? metadata.exit_code : undefined);
	const reports = [value.error, value.stderr].filter(
		(one): one is string => typeof one === 'string' && one.trim() !== '' && !output.includes(one),
	);
	const text = [output, ...reports].filter((part) => part !== '').join('\n');
	// An output may state the exit code of another program.
	const isStated = Number.isInteger(code) && (code !== 0 || findExitCode(text) !== undefined);
	return isStated ? `Exit code ${code}\n${text}` : text;
}

/** Returns the only text of a tool's answer, of several lines, below its title, if it makes up most of the JSON. */
function findAnswer(value: unknown, length: number): string | undefined {
	let inner = value;
	let heading: unknown[] = [];
	for (let depth = 0; depth < maxWrappers && typeof inner === 'object' && inner !== null; depth++) {
		if (Array.isArray(inner) && inner.length !== 1) return undefined;
		if (isFields(inner)) {
			const { title, number, state, id } = inner;
			// Without a title, the id names what the text is about.
			if (typeof title === 'string') heading = [title, number && `#${number}`, state];
			else if (id !== undefined) return undefined;
		}
		inner = Object.entries(inner).find(([name]) => Array.isArray(inner) || textNamePattern.test(name))?.[1];
	}
	if (typeof inner !== 'string' || !inner.includes('\n') || inner.length < minTextShare * length)
		return undefined;
	return [heading.filter((one) => one).join(', '), inner].filter((one) => one !== '').join('\n\n');
}
