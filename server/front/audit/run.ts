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
import { type ConversationReplayCache, compareAlternatives } from '../../core/replay/alternatives.ts';
import { checkFoundSettings, type FoundSettings, mergeLayers } from '../../core/settings/layers.ts';
import { findAgentLabel } from '../../core/transcript/agents.ts';
import { isWithin } from '../../core/transcript/reading/locations.ts';
import type { Settings } from '../../protocol/settings.ts';
import { startAt } from '../console/filters.ts';
import { createProgressLine } from '../console/progressLine.ts';
import { requireFolder } from '../console/requireFolder.ts';
import { canvasOf, type FrontIo, writeJson, writeLines } from '../console/terminal.ts';
import { byteSizeText, countWithUnit } from '../output/figures.ts';
import { span } from '../output/line.ts';
import { printableText } from '../output/printable.ts';
import type { AuditCommand } from './command.ts';
import { createDayLookup, dayOf, dayText } from './dates.ts';
import { auditJson } from './json.ts';
import { auditView } from './view.ts';

/** The terminal, and what an audit reads on the machine. */
export interface AuditIo extends FrontIo {
	collectCalls(query: CallQuery): Promise<CollectedCalls>;
	settingsFiles(): Promise<FoundSettings[]>;
	/** Opens the results of earlier replays with the same basis (version and settings). */
	openReplays(basis: string): Promise<ConversationReplayCache & { save(): Promise<void> }>;
	version: string;
	/** Returns the path of a folder as it was given, and its real path. */
	folderNames(folder: string): Promise<string[]>;
}

/** Returns a function that looks up prices once per model. */
function priceLookup(prices: Settings['prices']): AuditScope['findPrices'] {
	const known = new Map<string, FoundPrices>();
	return (provider, model) => {
		const key = `${provider}\0${model}`;
		const found = known.get(key) ?? lookupPrices(provider, model, prices);
		known.set(key, found);
		return found;
	};
}

/** Describes in words what was audited. */
function scopeText({ since, folder, agents }: AuditCommand, { from, to }: Audit): string {
	const days = `${dayText(dayOf(from))} to ${dayText(dayOf(to))}`;
	const time = since === 'all' ? `everything until ${dayText(dayOf(to))}` : days;
	const where = folder === undefined ? 'every folder' : printableText(resolve(folder));
	const who = agents === undefined ? 'all agents' : agents.map(findAgentLabel).join(' and ');
	return `${time} · ${where} · ${who}`;
}

async function auditOf(command: AuditCommand, io: AuditIo, now: number) {
	const folder = command.folder === undefined ? undefined : resolve(command.folder);
	if (folder !== undefined) await requireFolder(folder);
	const names = folder === undefined ? undefined : await io.folderNames(folder);
	const from = startAt(command.since, now);
	const progress = createProgressLine(io);
	try {
		const { sessions, unreadable, uncached } = await io.collectCalls({
			since: from,
			agents: command.agents,
			folder,
			onProgress: (done, total) =>
				progress.show(
					[span(`Reading ${byteSizeText(total)} of transcripts`)],
					total > 0 ? (100 * done) / total : 100,
				),
		});
		const settings = mergeLayers((await io.settingsFiles()).map(checkFoundSettings));
		const scope: AuditScope = {
			from,
			to: now,
			findPrices: priceLookup(settings.prices),
			formatDay: createDayLookup(),
			...(names !== undefined && {
				includesFolder: (one) => one !== undefined && names.some((name) => isWithin(one, name)),
			}),
		};
		const audit = auditSessions(sessions, scope);
		progress.show([span('Replaying the sessions')]);
		const memory = await io.openReplays(`${io.version} ${JSON.stringify(settings)}`);
		const alternatives = compareAlternatives(sessions, { ...scope, settings, memory });
		// Both caches are on the same disk, so one reported problem is enough.
		if (uncached === undefined) await memory.save();
		return { audit, alternatives, unreadable, uncached };
	} finally {
		progress.clear();
	}
}

/**
 * Prints what the user's agents cost, and why. Rejects with `CommandFailure` if the folder or the page's file cannot
 * be used.
 */
export async function runAudit(command: AuditCommand, io: AuditIo): Promise<void> {
	const { audit, alternatives, unreadable, uncached } = await auditOf(command, io, Date.now());
	const scope = scopeText(command, audit);
	if (command.html !== undefined) {
		const { auditPage } = await import('./page.ts');
		await writeFile(command.html, auditPage({ audit, alternatives, scope }), { mode: 0o600 });
	}
	if (command.report === 'json') return writeJson(io.stdout, auditJson({ audit, alternatives, unreadable }));
	const { columns } = canvasOf(io.stdout, io.env);
	await writeLines(io.stdout, auditView({ audit, alternatives, scope }, columns), io.env);
	const notes = [
		...(unreadable.length > 0
			? [
					`${countWithUnit(unreadable.length, 'transcript')} could not be read: ${printableText(unreadable[0] ?? '')}`,
				]
			: []),
		...(uncached === undefined ? [] : [`the figures were not cached: ${printableText(uncached)}`]),
		...(command.html === undefined ? [] : [`wrote ${printableText(command.html)}`]),
	];
	await writeLines(
		io.stderr,
		notes.map((note) => [span(note, 'gray')]),
		io.env,
	);
}
