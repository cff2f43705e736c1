/** Lists the entries of the meter's menu. */

import { t } from '../text/language.ts';
import { savingText } from '../text/receiptText.ts';
import { headroomText, usedText } from './headroom.ts';
import { percentOf } from './meterFormat.ts';
import {
	canContinue,
	contextKeys,
	isWritable,
	missingPluginOf,
	type ShownSession,
	shownFigures,
	shownSessionOf,
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
		entry('fold', t('Compact Context'), 'compact', compactDetail),
		entry('edit', t('Compact with Instructions…'), 'compactWithInstructions'),
		...(last ? [entry('discard', t('Undo Last Compaction'), 'undo', savingText(last))] : []),
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
						t('Continue in {0}, Compacted', name),
						'continueInAgent',
						t('Creates a compacted copy; this session does not change'),
					),
				]
			: []),
		entry(
			'export',
			t('Export Compacted History…'),
			'takeAlong',
			t('As a document, to the clipboard or as a file; {0} manages its own context', name),
		),
	];
}

function installing(session: ShownSession): MenuEntry[] {
	if (session.followed === undefined || missingPluginOf(session) === undefined) return [];
	const { label } = session.followed;
	return [
		entry(
			'plug',
			t('Install the Plugin for {0}…', label),
			'installPlugin',
			t('Lets contextd compact the running session, and undo that'),
		),
	];
}

/** Returns the title of the menu. */
export function menuTitle(usage: UsageState): string {
	const reading = shownFigures(usage);
	const session = shownSessionOf(usage);
	if (!reading || !session) return t('Context');
	const { stats } = reading;
	return `${t('Context {0}', percentOf(stats))} · ${usedText(stats)} · ${headroomText(stats, session)}`;
}

/** Returns menu entries for the commands that are possible in a state, the most likely first. */
export function menuEntriesOf(usage: UsageState): MenuEntry[] {
	const restart = entry('debug-restart', t('Restart Daemon'), 'restartDaemon');
	const log = entry('output', t('Show Log'), 'showLog');
	const select = entry('list-selection', t('Select Session'), 'selectSession');
	const { kind } = usage;
	if (kind === 'starting' || kind === 'stopped') return [restart, log];
	if (kind === 'noSession') return [select, restart, log];
	const view = entry('graph', t('Show Context Usage'), 'showUsage');
	if (kind === 'compacting') return [entry('close', t('Cancel Compaction'), 'cancelCompaction'), view];
	if (kind === 'unknown') return [select, view, restart, log];
	const { session } = usage;
	const isOwn = isWritable(session);
	const { hasCompaction, chosen } = contextKeys(usage);
	return [
		...(isOwn ? writing(usage, headroomText(usage.reading.stats, session)) : []),
		...takingAlong(session),
		entry('diff', t('Preview Compaction'), 'preview'),
		...(hasCompaction ? [entry('diff', t('Show Changes of Last Compaction'), 'showChanges')] : []),
		view,
		entry('search', t('Search This Session'), 'searchSession'),
		...installing(session),
		...(isOwn
			? [entry('pin', t('Pin Message'), 'pinMessage'), entry('pin', t('Pin File in Context'), 'pinFile')]
			: []),
		select,
		...(chosen ? [entry('sync', t('Follow Newest Session'), 'followNewest')] : []),
	];
}
