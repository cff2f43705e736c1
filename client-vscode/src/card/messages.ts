/** Messages between a card and the extension. */

import type { CardCommand, CardModel } from './model.ts';

/** A message that is opened in a card. */
export interface OpenedMessage {
	messageId: string;
	/** Its text before the compaction. */
	text: string;
	/** Whether more text follows; the editor shows all of it. */
	hasMore: boolean;
	/** The text after the compaction, if it differs; null if the compaction removes the message. */
	left?: string | null;
}

/** To the card. */
export type CardInput =
	| { type: 'translations'; translations: Readonly<Record<string, string>> }
	| { type: 'show'; model: CardModel }
	| { type: 'opened'; message: OpenedMessage };

/** From the card. */
export type CardOutput =
	| { type: 'ready' }
	| { type: 'open'; messageId: string }
	| { type: 'openInEditor'; messageId: string }
	| { type: 'command'; command: CardCommand };
