/** Messages between the page of the Context Usage view and the extension. */

import type { FreeSelection } from '../../../server/protocol/sources.ts';
import type { PinTarget } from './costRows.ts';
import type { EmptyView } from './emptyView.ts';
import type { ViewCommand, ViewModel } from './model.ts';

/** A message from the extension to the page. */
export type ViewInput =
	| { type: 'translations'; translations: Readonly<Record<string, string>> }
	| { type: 'show'; model: ViewModel }
	| ({ type: 'nothing' } & EmptyView);

/** A message from the page to the extension. */
export type ViewOutput =
	| { type: 'ready' }
	| { type: 'open'; messageId: string }
	| { type: 'undo'; compactionId: string }
	| { type: 'changes'; compactionId: string }
	| { type: 'free'; free: FreeSelection }
	| { type: 'pin'; target: PinTarget; pinned: boolean }
	| { type: 'command'; command: ViewCommand };
