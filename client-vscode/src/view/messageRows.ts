/** Creates rows of lists for messages. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { LargeMessage } from '../../../server/protocol/stats.ts';
import { isVisibleMessage } from '../documents/changes.ts';
import { type CallNames, collectCallNames, getCallTitle, getFirstWords } from '../text/callNames.ts';
import { t } from '../text/language.ts';
import { formatRole } from '../text/messageNames.ts';

/** A message in a list. */
export interface MessageRow {
	messageId: string;
	name: string;
	/** Distinguishes messages with the same name by their position; empty if the name is unique. */
	position: string;
	tokens: number | null;
	/** The first words of the message. */
	firstWords: string;
	isPinned: boolean;
}

type NamedMessage = Pick<LargeMessage, 'messageId' | 'role' | 'toolName'>;

/** Names the messages of a session, and creates their rows. */
export class MessageNames {
	readonly #byId: ReadonlyMap<string | undefined, ChatMessage>;
	readonly #calls: CallNames;
	/** Ids of the visible results by name, oldest first. */
	readonly #visibleIds = new Map<string, string[]>();

	constructor(history: readonly ChatMessage[]) {
		this.#byId = new Map(history.map((message) => [message.id, message]));
		this.#calls = collectCallNames(history);
		for (const message of history) {
			if (message.id === undefined || message.role !== 'tool' || !isVisibleMessage(message)) continue;
			const name = getCallTitle(message, this.#calls);
			const sameNamed = this.#visibleIds.get(name);
			if (sameNamed) sameNamed.push(message.id);
			else this.#visibleIds.set(name, [message.id]);
		}
	}

	formatName({ messageId, toolName, role }: NamedMessage): string {
		const message = this.#byId.get(messageId);
		return message ? getCallTitle({ toolName, ...message }, this.#calls) : (toolName ?? formatRole(role));
	}

	createRow(item: NamedMessage, tokens: number | null): MessageRow {
		const { messageId } = item;
		const message = this.#byId.get(messageId);
		const name = this.formatName(item);
		const sameNamed = this.#visibleIds.get(name) ?? [];
		const isRepeated = sameNamed.length > 1 && sameNamed.includes(messageId);
		return {
			messageId,
			name,
			position: isRepeated ? t('{0} of {1}', sameNamed.indexOf(messageId) + 1, sameNamed.length) : '',
			tokens,
			firstWords: message ? getFirstWords(message, this.#calls) : '',
			isPinned: message?.pinned === true,
		};
	}
}
