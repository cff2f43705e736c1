/** What a click on the meter offers. */

import { headroom } from '../text/categories.ts';
import { tokensText } from '../text/figures.ts';
import { contextKeys, type Followed, readingOf, type UsageState } from './usage.ts';

export interface MenuEntry {
	icon: string;
	label: string;
	detail?: string;
	command: string;
}

function entry(icon: string, label: string, command: string, detail?: string): MenuEntry {
	return { icon, label, command: `contextd.${command}`, ...(detail !== undefined && { detail }) };
}

function takeAlong({ label }: Followed): MenuEntry {
	const detail = `Preview it and take the compacted history along; ${label} keeps its own`;
	return entry('fold', 'Compact Context', 'compact', detail);
}

/** The commands that make sense in a state, the likeliest first. */
export function menuOf(usage: UsageState): MenuEntry[] {
	const restart = entry('debug-restart', 'Restart Daemon', 'restartDaemon');
	const log = entry('output', 'Show Log', 'showLog');
	const select = entry('list-selection', 'Select Session', 'selectSession');
	const { kind } = usage;
	if (kind === 'starting' || kind === 'stopped') return [restart, log];
	if (kind === 'noSession') return [select, restart, log];
	const view = entry('graph', 'Show Context Usage', 'showUsage');
	if (kind === 'compacting') return [entry('close', 'Cancel Compaction', 'cancelCompaction'), view];
	if (kind === 'unknown') return [select, view, restart, log];
	const { stats } = usage.reading;
	const { followed } = usage.session;
	const { readOnly, canUndo } = contextKeys(usage);
	const last = readingOf(usage)?.stats.lastCompaction;
	const saved = last && `${tokensText(last.tokensBefore)} → ${tokensText(last.tokensAfter)}`;
	const writing = [
		entry(
			'fold',
			'Compact Context',
			'compact',
			`${tokensText(headroom(stats))} tokens until it happens by itself`,
		),
		...(canUndo ? [entry('discard', 'Undo Last Compaction', 'undo', last?.undone ? undefined : saved)] : []),
	];
	return [
		...(followed ? [takeAlong(followed)] : readOnly ? [] : writing),
		entry('diff', 'Preview Compaction', 'preview'),
		...(canUndo ? [entry('diff', 'Show Changes of Last Compaction', 'showChanges')] : []),
		view,
		...(readOnly ? [] : [entry('pin', 'Pin Message', 'pinMessage'), entry('pin', 'Pin File', 'pinFile')]),
		select,
	];
}
