/** The values that commands accept, and the types that describe their usage. */

import type { AgentSessionFormat } from '../../core/transcript/index.ts';

/** Forms in which a session can be restored. */
export const restoreForms = ['markdown', 'html', 'json', 'transcript'] as const;

export interface OptionUsage {
	/** The option with its dashes. */
	long: string;
	short?: string;
	/** Name of the option's value; absent if the option has none. */
	value?: string;
	meaning: string;
	/** All possible values; absent if any value is possible. */
	choices?: readonly string[];
	/** Whether the option may be given several times. */
	isRepeatable?: true;
}

export interface CommandUsage {
	name: string;
	/** Operands after the command's name. */
	operand: string;
	/** All possible operands, for completion; by default files. */
	operands?: readonly string[];
	summary: string;
	/** A description in whole sentences. */
	about: string;
	options: readonly OptionUsage[];
	/** Command lines and their purposes. */
	examples: readonly (readonly [line: string, purpose: string])[];
}

/** The shells that completion supports. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/** The agents for which contextd has a plugin to install. */
export const installableAgents = ['claude', 'opencode', 'pi'] as const;

/** The agents that can take over a session of another agent, each with the format of its sessions. */
export const handoffAgents = {
	codex: 'codex',
	claude: 'claude-code',
	opencode: 'opencode',
	pi: 'pi',
	gemini: 'gemini-cli',
	copilot: 'copilot-cli',
} as const satisfies Readonly<Record<string, AgentSessionFormat>>;

/** The actions of `contextd record`. */
export const recordActions = ['on', 'off', 'status', 'pin', 'unpin'] as const;

/** The actions of `contextd daemon`; `serve` belongs to the program itself, not to the terminal commands. */
export const daemonActions = ['status', 'stop', 'log'] as const;
