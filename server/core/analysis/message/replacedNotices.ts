/** Finds messages about an agent's mode, permissions or instructions that a later message of the same kind replaces. */

import type { Source } from './source.ts';

/** A tag of Codex around one of its settings, or the heading of a project's instructions. */
const settingPattern =
	/^\s{0,9}(<(?:collaboration_mode|permissions instructions|personality_spec)>|# AGENTS\.md instructions\b[^\n]{0,200})/;
/** A message of Claude Code that begins or ends its plan mode, or repeats its rules. */
const planModePattern =
	/^\s{0,9}(?:<system-reminder>\s{0,9})?(?:#{1,3} {1,3})?(?:Plan mode is (?:still )?active\b|Plan mode still active\b|(?:You have |Re-)?(?:exited|entered|entering) plan mode\b)/i;

/** Returns what a message of the agent's program sets; undefined for other messages. */
function findSetting({ text, isInjected, role }: Source): string | undefined {
	if (isInjected !== true && role !== 'system') return undefined;
	return planModePattern.test(text) ? 'plan mode' : settingPattern.exec(text)?.[1];
}

/** Returns the messages without those that a later message, or one of `visible`, replaces. */
export function omitReplacedNotices(sources: readonly Source[], visible: readonly Source[]): Source[] {
	const newest = new Map<string, Source>();
	for (const source of [...sources, ...visible]) {
		const setting = findSetting(source);
		const known = setting === undefined ? undefined : newest.get(setting);
		if (setting !== undefined && (known === undefined || known.seq < source.seq)) newest.set(setting, source);
	}
	return sources.filter((source) => (newest.get(findSetting(source) ?? '') ?? source) === source);
}
