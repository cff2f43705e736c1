/** Runs `contextd audit`. */

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
	type Audit,
	type AuditScope,
	auditSessions,
	type CallQuery,
	type CollectedCalls,
} from '../../core/cost/audit/audit.ts';
import { type FoundPrices, lookupPrices } from '../../core/cost/prices.ts';
import { formatByteSize, formatCount } from '../../core/figures.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import { type ConversationReplayCache, compareAlternatives } from '../../core/replay/alternatives.ts';
import { checkFoundSettings, type FoundSettings, mergeLayers } from '../../core/settings/layers.ts';
import { findAgentLabel, isWithin } from '../../core/transcript/index.ts';
import type { Settings } from '../../protocol/settings.ts';
import { resolveStartTime } from '../console/filters.ts';
import { requireFolder } from '../console/inputFile.ts';
import { createProgressLine } from '../console/progressLine.ts';
import { type FrontIo, measureColumns, writeJson, writeLines } from '../console/terminal.ts';
import { span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import type { AuditCommand } from './command.ts';
import { createDayFormatter, formatDay, formatIsoDay } from './dates.ts';
import { convertAudit } from './json.ts';
import { renderAudit } from './view.ts';

/** The terminal, and what an audit reads on the machine. */
export interface AuditIo extends FrontIo {
	/** Collects the calls of models in all transcripts on this machine. */
	collectCalls(query: CallQuery): Promise<CollectedCalls>;
	/** Returns the settings files that apply in the working folder. */
	findSettingsFiles(): Promise<FoundSettings[]>;
	/** Opens the results of earlier replays with the same basis (version and settings). */
	openReplays(basis: string): Promise<ConversationReplayCache & { save(): Promise<void> }>;
	version: string;
	/** Returns the path of a folder as it was given, and its real path. */
	findFolderNames(folder: string): Promise<string[]>;
}

/** Returns a function that looks up prices once per model. */
function createPriceLookup(prices: Settings['prices']): AuditScope['findPrices'] {
	const cachedPrices = new Map<string, FoundPrices>();
	return (provider, model) =>
		getOrInsert(cachedPrices, `${provider}\0${model}`, () => lookupPrices(provider, model, prices));
}

/** Describes in words what was audited. */
function describeScope({ since, folder, agents }: AuditCommand, { from, to }: Audit): string {
	const days = `${formatDay(formatIsoDay(from))} to ${formatDay(formatIsoDay(to))}`;
	const time = since === 'all' ? `everything until ${formatDay(formatIsoDay(to))}` : days;
	const folderText = folder === undefined ? 'every folder' : makePrintable(resolve(folder));
	const agentText = agents === undefined ? 'all agents' : agents.map(findAgentLabel).join(' and ');
	return `${time} · ${folderText} · ${agentText}`;
}

async function collectAudit(command: AuditCommand, io: AuditIo, now: number) {
	const folder = command.folder === undefined ? undefined : resolve(command.folder);
	if (folder !== undefined) await requireFolder(folder);
	const names = folder === undefined ? undefined : await io.findFolderNames(folder);
	const from = resolveStartTime(command.since, now);
	const progress = createProgressLine(io);
	try {
		const { sessions, unreadable, cacheProblem } = await io.collectCalls({
			since: from,
			agents: command.agents,
			folder,
			onProgress: (done, total) =>
				progress.show(
					[span(`Reading ${formatByteSize(total)} of transcripts`)],
					total > 0 ? (100 * done) / total : 100,
				),
		});
		const settings = mergeLayers((await io.findSettingsFiles()).map(checkFoundSettings));
		const scope: AuditScope = {
			from,
			to: now,
			findPrices: createPriceLookup(settings.prices),
			formatDay: createDayFormatter(),
			...(names !== undefined && {
				includesFolder: (one) => one !== undefined && names.some((name) => isWithin(one, name)),
			}),
		};
		const audit = auditSessions(sessions, scope);
		progress.show([span('Replaying the sessions')]);
		const cache = await io.openReplays(`${io.version} ${JSON.stringify(settings)}`);
		const alternatives = compareAlternatives(sessions, { ...scope, settings, cache });
		// Both caches are on the same disk, so one reported problem is enough.
		if (cacheProblem === undefined) await cache.save();
		return { audit, alternatives, unreadable, cacheProblem };
	} finally {
		progress.clear();
	}
}

/**
 * Prints what the user's agents cost, and why. Rejects with `CommandFailure` if the folder or the page's file cannot
 * be used.
 */
export async function runAudit(command: AuditCommand, io: AuditIo): Promise<void> {
	const { audit, alternatives, unreadable, cacheProblem } = await collectAudit(command, io, Date.now());
	const scope = describeScope(command, audit);
	if (command.html !== undefined) {
		const { renderAuditPage } = await import('./page.ts');
		await writeFile(command.html, renderAuditPage({ audit, alternatives, scope }), { mode: 0o600 });
	}
	if (command.report === 'json')
		return writeJson(io.stdout, convertAudit({ audit, alternatives, unreadable }));
	const columns = measureColumns(io.stdout, io.env);
	await writeLines(io.stdout, renderAudit({ audit, alternatives, scope }, columns), io.env);
	const notes = [
		...(unreadable.length > 0
			? [
					`${formatCount(unreadable.length, 'transcript')} could not be read: ${makePrintable(unreadable[0] ?? '')}`,
				]
			: []),
		...(cacheProblem === undefined ? [] : [`the figures were not cached: ${makePrintable(cacheProblem)}`]),
		...(command.html === undefined ? [] : [`wrote ${makePrintable(command.html)}`]),
	];
	await writeLines(
		io.stderr,
		notes.map((note) => [span(note, 'gray')]),
		io.env,
	);
}
