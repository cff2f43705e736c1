/** Messages as rows of lists. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { LargeMessage } from '../../../server/protocol/stats.ts';
import { type CallNames, callNamesOf, callTitle, firstWordsOf } from '../text/callNames.ts';
import { t } from '../text/language.ts';
import { roleText } from '../text/messageNames.ts';
import { isVisibleMessage } from '../text/reads.ts';

/** A message in a list. */
export interface MessageRow {
	messageId: string;
	what: string;
	/** Distinguishes messages with the same name by their position; empty if there is only one. */
	which: string;
	tokens: number | null;
	/** Its beginning. */
	text: string;
	isPinned: boolean;
}

type Named = Pick<LargeMessage, 'messageId' | 'role' | 'toolName'>;

/** The messages of a session by id, with their names. */
export class MessageNames {
	readonly #byId: ReadonlyMap<string | undefined, ChatMessage>;
	readonly #calls: CallNames;
	/** Ids of the visible results by name, oldest first. */
	readonly #visible = new Map<string, string[]>();

	constructor(full: readonly ChatMessage[]) {
		this.#byId = new Map(full.map((message) => [message.id, message]));
		this.#calls = callNamesOf(full);
		for (const message of full) {
			if (message.id === undefined || message.role !== 'tool' || !isVisibleMessage(message)) continue;
			const name = callTitle(message, this.#calls);
			const same = this.#visible.get(name);
			if (same) same.push(message.id);
			else this.#visible.set(name, [message.id]);
		}
	}

	nameOf({ messageId, toolName, role }: Named): string {
		const message = this.#byId.get(messageId);
		return message ? callTitle({ toolName, ...message }, this.#calls) : (toolName ?? roleText(role));
	}

	rowOf(named: Named, tokens: number | null): MessageRow {
		const { messageId } = named;
		const message = this.#byId.get(messageId);
		const what = this.nameOf(named);
		const same = this.#visible.get(what) ?? [];
		const isRepeated = same.length > 1 && same.includes(messageId);
		return {
			messageId,
			what,
			which: isRepeated ? t('{0} of {1}', same.indexOf(messageId) + 1, same.length) : '',
			tokens,
			text: message ? firstWordsOf(message, this.#calls) : '',
			isPinned: message?.pinned === true,
		};
	}
}
