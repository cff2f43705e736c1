/** Lists the entries of the meter's menu, and chooses the action that hover and notices offer. */

import { t } from '../text/language.ts';
import { formatTokenChange } from '../text/receiptText.ts';
import { formatHeadroom, formatUsed } from './headroom.ts';
import { formatMeterPercent } from './meter.ts';
import {
	canContinue,
	computeContextKeys,
	findMissingPlugin,
	findUndoableCompaction,
	getMeasurement,
	getShownSession,
	isWritable,
	type ShownSession,
	type UsageState,
} from './usage.ts';

export interface MenuEntry {
	icon: string;
	label: string;
	detail?: string;
	command: string;
}

function createEntry(icon: string, label: string, command: string, detail?: string): MenuEntry {
	return { icon, label, command: `contextd.${command}`, ...(detail !== undefined && { detail }) };
}

function listCompactionEntries(usage: UsageState, compactDetail: string): MenuEntry[] {
	const undoable = findUndoableCompaction(usage);
	return [
		createEntry('fold', t('Compact Context'), 'compact', compactDetail),
		createEntry('edit', t('Compact with Instructions…'), 'compactWithInstructions'),
		...(undoable
			? [createEntry('discard', t('Undo Last Compaction'), 'undo', formatTokenChange(undoable))]
			: []),
	];
}

function listExportEntries({ followed, ...session }: ShownSession): MenuEntry[] {
	if (!followed) return [];
	const name = followed.label;
	return [
		...(canContinue({ ...session, followed })
			? [
					createEntry(
						'terminal',
						t('Continue in {0}, Compacted', name),
						'continueInAgent',
						t('Creates a compacted copy; this session does not change'),
					),
				]
			: []),
		createEntry(
			'export',
			t('Export Compacted History…'),
			'takeAlong',
			t('As a document, to the clipboard or as a file; {0} manages its own context', name),
		),
	];
}

function listPluginEntries(session: ShownSession): MenuEntry[] {
	if (session.followed === undefined || findMissingPlugin(session) === undefined) return [];
	const { label } = session.followed;
	return [
		createEntry(
			'plug',
			t('Install the Plugin for {0}…', label),
			'installPlugin',
			t('Lets contextd compact the running session, and undo that'),
		),
	];
}

/** Returns the title of the menu. */
export function formatMenuTitle(usage: UsageState): string {
	const measurement = getMeasurement(usage);
	const session = getShownSession(usage);
	if (!measurement || !session) return t('Context');
	const { stats } = measurement;
	return `${t('Context {0}', formatMeterPercent(stats))} · ${formatUsed(stats)} · ${formatHeadroom(stats, session)}`;
}

/** Returns menu entries for the commands that are possible in a state, the most likely first. */
export function listMenuEntries(usage: UsageState): MenuEntry[] {
	const restartEntry = createEntry('debug-restart', t('Restart Daemon'), 'restartDaemon');
	const logEntry = createEntry('output', t('Show Log'), 'showLog');
	const selectEntry = createEntry('list-selection', t('Select Session'), 'selectSession');
	const { kind } = usage;
	if (kind === 'starting' || kind === 'stopped') return [restartEntry, logEntry];
	if (kind === 'noSession') return [selectEntry, restartEntry, logEntry];
	const viewEntry = createEntry('graph', t('Show Context Usage'), 'showUsage');
	if (kind === 'compacting')
		return [createEntry('close', t('Cancel Compaction'), 'cancelCompaction'), viewEntry];
	if (kind === 'unknown') return [selectEntry, viewEntry, restartEntry, logEntry];
	const { session } = usage;
	const canChange = isWritable(session);
	const { hasCompaction, chosen } = computeContextKeys(usage);
	return [
		...(canChange ? listCompactionEntries(usage, formatHeadroom(usage.measurement.stats, session)) : []),
		...listExportEntries(session),
		createEntry('diff', t('Preview Compaction'), 'preview'),
		...(hasCompaction ? [createEntry('diff', t('Show Changes of Last Compaction'), 'showChanges')] : []),
		viewEntry,
		createEntry('search', t('Search This Session'), 'searchSession'),
		...listPluginEntries(session),
		...(canChange
			? [
					createEntry('pin', t('Pin Message'), 'pinMessage'),
					createEntry('pin', t('Pin File in Context'), 'pinFile'),
				]
			: []),
		selectEntry,
		...(chosen ? [createEntry('sync', t('Follow Newest Session'), 'followNewest')] : []),
	];
}

export interface SpaceSavingAction {
	command: 'contextd.compact' | 'contextd.continueInAgent' | 'contextd.takeAlong';
	/** Title of the button or link. */
	title: string;
	/** What the action does, in a few words. */
	note: string;
}

/** Returns the action that hover and notices offer first; null if the extension cannot compact or export the session. */
export function chooseSpaceSavingAction(session: ShownSession): SpaceSavingAction | null {
	const { followed } = session;
	if (isWritable(session))
		return { command: 'contextd.compact', title: t('Compact Context'), note: t('Compact Context') };
	if (!followed) return null;
	if (!canContinue(session))
		return { command: 'contextd.takeAlong', title: t('Export'), note: t('Export Compacted History…') };
	return {
		command: 'contextd.continueInAgent',
		title: t('Continue in {0}, Compacted', followed.label),
		note: t('Creates a compacted copy; this session does not change'),
	};
}
