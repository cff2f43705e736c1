/** Messages between the page of a card, which shows one compaction, and the extension. */

import type { CardCommand, CardModel } from './model.ts';

/** A chat message that the user opened in a card. */
export interface OpenedMessage {
	messageId: string;
	/** The original text of the message. */
	text: string;
	/** Whether the text is only the beginning of the message; the editor can show all of it. */
	hasMore: boolean;
	/** The text after the compaction, if it differs; null if the compaction removes the message. */
	textAfter?: string | null;
}

/** A message from the extension to the page. */
export type CardInput =
	| { type: 'translations'; translations: Readonly<Record<string, string>> }
	| { type: 'show'; model: CardModel }
	| { type: 'opened'; message: OpenedMessage };

/** A message from the page to the extension. */
export type CardOutput =
	| { type: 'ready' }
	| { type: 'open'; messageId: string }
	| { type: 'openInEditor'; messageId: string }
	| { type: 'command'; command: CardCommand };
