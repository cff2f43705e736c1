/** What the view and the extension tell each other. */

import type { ViewModel } from './model.ts';

/** To the view. */
export type ToView = { type: 'show'; model: ViewModel } | { type: 'nothing'; why: string };

/** From the view. */
export type FromView =
	| { type: 'ready' }
	| { type: 'open'; messageId: string }
	| { type: 'undo'; compactionId: string }
	| { type: 'changes'; compactionId: string }
	| { type: 'command'; command: 'compact' | 'preview' | 'selectSession' };
