/** Commands and tools of plugins in Node and Bun: their descriptions and their answers. */

import {
	answerContextCommand,
	type ControllableSession,
	createRecallText,
	everywhereDescription,
	pinForPerson,
	type QueriedSession,
	recallInProject,
} from '../lookups.ts';

/** A command of the user. */
interface PluginCommand {
	description: string;
	/** Runs the command and returns a text for the user. `words` is the text after the command's name. */
	answer(words: string, session: ControllableSession): Promise<string>;
}

/** All commands by name, without the slash. */
export const pluginCommands: Readonly<Record<string, PluginCommand>> = {
	contextd: {
		description:
			'Show how full the context window is and what was shortened: /contextd [off|on for this session]',
		answer: (words, session) => answerContextCommand(session, words),
	},
	'contextd-compact': {
		description: 'Compact now: /contextd-compact [what to keep above all]',
		async answer(words, { conversation }) {
			return (await conversation.compact(undefined, words.trim() || undefined)).text;
		},
	},
	'contextd-undo': {
		description: 'Undo the last compaction: /contextd-undo [how many]',
		async answer(words, { conversation }) {
			return (await conversation.undo(Math.max(1, Number.parseInt(words, 10) || 1))).text;
		},
	},
	'contextd-pin': {
		description: 'Keep a message word for word: /contextd-pin WORDS',
		answer: (words, session) => pinForPerson(session, words),
	},
};

/** The tool `contextd_recall`: descriptions of the tool and its arguments, and the function that answers. */
export const recallTool = {
	description:
		'Reads what was shortened or removed from this conversation: give the id of a message or tool call to read it in full, or words to search the whole session.',
	query: 'An id from a notice or placeholder, or words',
	offset: 'With an id: characters to skip',
	everywhere: everywhereDescription,
	answer({ query, offset, everywhere }: Record<string, unknown>, session: QueriedSession): Promise<string> {
		return everywhere === true
			? recallInProject(session, String(query))
			: createRecallText(session, String(query), Number(offset) || 0);
	},
};

/** The description of the tool `contextd_stats`. */
export const statsToolDescription =
	"Returns how full this conversation's context window is, and what fills it.";
