/** What a click on the meter offers. */

import { say } from '../text/language.ts';
import { savingText } from '../text/receiptText.ts';
import { headroomText, usedText } from './headroom.ts';
import { percentOf } from './meterFormat.ts';
import {
	canContinue,
	contextKeys,
	isWritable,
	pluginOf,
	type ShownSession,
	sessionOf,
	shownFigures,
	type UsageState,
	undoableOf,
} from './usage.ts';

export interface MenuEntry {
	icon: string;
	label: string;
	detail?: string;
	command: string;
}

function entry(icon: string, label: string, command: string, detail?: string): MenuEntry {
	return { icon, label, command: `contextd.${command}`, ...(detail !== undefined && { detail }) };
}

function writing(usage: UsageState, compactDetail: string): MenuEntry[] {
	const last = undoableOf(usage);
	return [
		entry('fold', say('Compact Context'), 'compact', compactDetail),
		entry('edit', say('Compact with Instructions…'), 'compactWithInstructions'),
		...(last ? [entry('discard', say('Undo Last Compaction'), 'undo', savingText(last))] : []),
	];
}

function takingAlong({ followed, ...session }: ShownSession): MenuEntry[] {
	if (!followed) return [];
	const name = followed.label;
	return [
		...(canContinue({ ...session, followed })
			? [
					entry(
						'terminal',
						say('Continue Compacted in {0}', name),
						'continueInAgent',
						say('Puts a compacted copy beside this session; this one stays as it is'),
					),
				]
			: []),
		entry(
			'export',
			say('Take Compacted History Along…'),
			'takeAlong',
			say('As a document, in the clipboard or as a file; {0} keeps its own context', name),
		),
	];
}

function installing(session: ShownSession): MenuEntry[] {
	if (session.followed === undefined || pluginOf(session) === undefined) return [];
	const { label } = session.followed;
	return [
		entry(
			'plug',
			say('Install the Plugin for {0}…', label),
			'installPlugin',
			say('With it, what is compacted here acts on the running session, and can be taken back'),
		),
	];
}

/** The headline of the menu. */
export function menuTitle(usage: UsageState): string {
	const reading = shownFigures(usage);
	const session = sessionOf(usage);
	if (!reading || !session) return say('Context');
	const { stats } = reading;
	return `${say('Context {0}', percentOf(stats))} · ${usedText(stats)} · ${headroomText(stats, session)}`;
}

/** The commands that make sense in a state, the likeliest first. */
export function menuOf(usage: UsageState): MenuEntry[] {
	const restart = entry('debug-restart', say('Restart Daemon'), 'restartDaemon');
	const log = entry('output', say('Show Log'), 'showLog');
	const select = entry('list-selection', say('Select Session'), 'selectSession');
	const { kind } = usage;
	if (kind === 'starting' || kind === 'stopped') return [restart, log];
	if (kind === 'noSession') return [select, restart, log];
	const view = entry('graph', say('Show Context Usage'), 'showUsage');
	if (kind === 'compacting') return [entry('close', say('Cancel Compaction'), 'cancelCompaction'), view];
	if (kind === 'unknown') return [select, view, restart, log];
	const { session } = usage;
	const isOwn = isWritable(session);
	const { hasCompaction, chosen } = contextKeys(usage);
	return [
		...(isOwn ? writing(usage, headroomText(usage.reading.stats, session)) : []),
		...takingAlong(session),
		entry('diff', say('Preview Compaction'), 'preview'),
		...(hasCompaction ? [entry('diff', say('Show Changes of Last Compaction'), 'showChanges')] : []),
		view,
		...installing(session),
		...(isOwn
			? [entry('pin', say('Pin Message'), 'pinMessage'), entry('pin', say('Pin File in Context'), 'pinFile')]
			: []),
		select,
		...(chosen ? [entry('sync', say('Follow Newest Session'), 'followNewest')] : []),
	];
}
