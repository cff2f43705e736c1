/** Messages between the view and the extension. */

import type { ViewCommand, ViewModel } from './model.ts';

/** To the view. */
export type ToView =
	| { type: 'speak'; translations: Readonly<Record<string, string>> }
	| { type: 'show'; model: ViewModel }
	| { type: 'nothing'; why: string };

/** From the view. */
export type FromView =
	| { type: 'ready' }
	| { type: 'open'; messageId: string }
	| { type: 'undo'; compactionId: string }
	| { type: 'changes'; compactionId: string }
	| { type: 'command'; command: ViewCommand };
