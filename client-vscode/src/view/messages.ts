/** Messages between the view and the extension. */

import type { FreeSelection } from '../../../server/protocol/sources.ts';
import type { PinTarget } from './costRows.ts';
import type { EmptyView } from './emptyView.ts';
import type { ViewCommand, ViewModel } from './model.ts';

/** To the view. */
export type ViewInput =
	| { type: 'translations'; translations: Readonly<Record<string, string>> }
	| { type: 'show'; model: ViewModel }
	| ({ type: 'nothing' } & EmptyView);

/** From the view. */
export type ViewOutput =
	| { type: 'ready' }
	| { type: 'open'; messageId: string }
	| { type: 'undo'; compactionId: string }
	| { type: 'changes'; compactionId: string }
	| { type: 'free'; free: FreeSelection }
	| { type: 'pin'; target: PinTarget; pinned: boolean }
	| { type: 'command'; command: ViewCommand };
