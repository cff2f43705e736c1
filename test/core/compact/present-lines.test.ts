import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const added = ['export function ferryFare(zone: number): number {', '\treturn 12 + 3 * zone;', '}'];
const document = `cat > /srv/fares.ts <<'EOF'\n${added.join('\n')}\nEOF`;
const edits = {
	Edit: { file_path: '/srv/fares.ts', old_string: 'export const fare = 12;', new_string: added.join('\n') },
	Write: { file_path: '/srv/fares.ts', content: added.join('\n') },
	apply_patch: {
		input: `*** Begin Patch\n*** Update File: /srv/fares.ts\n@@\n-export const fare = 12;\n${added.map((line) => `+${line}`).join('\n')}\n*** End Patch`,
	},
	replace: {
		file_path: '/srv/fares.ts',
		old_string: 'export const fare = 12;',
		new_string: added.join('\n'),
	},
	Bash: { command: document },
	exec_command: { cmd: `mkdir -p /srv && ${document}\necho written` },
	run_shell_command: { command: `tee /srv/fares.ts <<EOF\n${added.join('\n')}\nEOF` },
};

/** Returns a session that ends with these calls, and is long enough for an ample summary. */
function session(...calls: [name: string, args: object, returned: string, failed?: boolean][]): Source[] {
	const talk = Array.from({ length: 40 }, (_, index) =>
		assistant(2 + index, `Step ${index}: the zones of harbour ${index} are numbered from the quay outwards.`),
	);
	return [
		user(1, 'Compute the fares by zone.'),
		...talk,
		...calls.flatMap(([name, args, returned, failed], index) => {
			const made = call(name, args);
			return [assistant(50 + 2 * index, '', made), result(51 + 2 * index, made, returned, failed)];
		}),
	];
}

describe('lines of the newest edit', () => {
	it.each(Object.entries(edits))(
		'a summary shows the lines that the newest edit left, by %s',
		(name, args) => {
			const files = sectionIn(summaryOf(session([name, args, 'The file was updated.']), 3000), 'files');
			expect(files).toMatch(/\[#50 \S+ fares\.ts\] \(the newest edit\) export function ferryFare/);
			expect(files).toContain('return 12 + 3 * zone;');
			expect(files).not.toContain('export const fare = 12;');
		},
	);

	it('a summary does not show the lines of a refused edit', () => {
		const refused = {
			...edits.Edit,
			old_string: 'return 12',
			new_string: 'return 99 + 3 * surcharge(zone);',
		};
		const sources = session(
			['Edit', edits.Edit, 'The file was updated.'],
			['Edit', refused, 'String to replace not found in file.', true],
		);
		const text = summaryOf(sources, 3000);
		expect(text).toMatch(/\[#50 Edit fares\.ts\] \(the newest edit\)/);
		expect(text).not.toContain('surcharge(zone)');
	});

	it.each([
		['a script that is not written to a file', `python3 - <<'EOF' > /srv/fares.ts\n${added.join('\n')}\nEOF`],
		['here-documents of two files', `${document}\n${document.replace('fares', 'zones')}`],
		['a command without a here-document', `sed -i 's/12/13/' /srv/fares.ts`],
	])('a summary does not call %s the newest edit', (_, command) => {
		expect(summaryOf(session(['Bash', { command }, '']), 3000)).not.toContain('(the newest edit)');
	});

	it('the lines of a new file begin below its imports', () => {
		const content = ['#!/usr/bin/env python3', 'import json', 'from rates import zone_rate', ...added].join(
			'\n',
		);
		const files = sectionIn(
			summaryOf(session(['Write', { file_path: '/srv/fares.py', content }, 'Written.']), 3000),
			'files',
		);
		expect(files).toMatch(/\[#50 Write fares\.py\] \(the newest edit\) export function ferryFare/);
	});

	it('an edit that git took back is not the newest edit', () => {
		const sources = session(
			['Read', { file_path: '/srv/fares.ts' }, `${added.join('\n')}\nexport const fare = 12;`],
			[
				'Edit',
				{ file_path: '/srv/fares.ts', old_string: 'export const fare = 12;', new_string: added[1]! },
				'ok',
			],
			['Bash', { command: 'git checkout -- /srv/fares.ts' }, ''],
		);
		expect(summaryOf(sources, 3000)).not.toContain('(the newest edit)');
	});

	it('a summary does not show edited lines that a later command removed', () => {
		const sources = session(
			['Edit', edits.Edit, 'The file was updated.'],
			['Bash', { command: 'git checkout -- /srv/fares.ts' }, ''],
		);
		expect(summaryOf(sources, 3000)).not.toContain('return 12 + 3 * zone;');
	});

	const ports = ['export function openPort(name: string): Port {', '\treturn new Port(name, 4711);', '}'];
	const patch = `*** Begin Patch\n*** Add File: /srv/ports.ts\n${ports.map((line) => `+${line}`).join('\n')}\n*** End Patch`;

	it.each([
		['Write', { file_path: '/srv/ports.ts', content: ports.join('\n') }],
		['apply_patch', { input: patch }],
	])('a summary shows the newest edit of each changed file, by %s', (name, args) => {
		const renamed = {
			file_path: '/srv/ports.ts',
			old_string: "from './a.ts'",
			new_string: "import { Port } from './b.ts';",
		};
		const files = sectionIn(
			summaryOf(session([name, args, 'ok'], ['Edit', renamed, 'ok'], ['Edit', edits.Edit, 'ok']), 3000),
			'files',
		);
		expect(files).toMatch(/\[#54 Edit fares\.ts\] \(the newest edit\) export function ferryFare/);
		expect(files).toMatch(
			/\[#50 \S+ ports\.ts\] export function openPort.*\n.*return new Port\(name, 4711\);/,
		);
	});

	it('a summary does not show an edit that wrote a single word', () => {
		const word = { file_path: '/srv/fares.ts', old_string: 'fee', new_string: 'toll' };
		const files = sectionIn(summaryOf(session(['Edit', word, 'ok']), 3000), 'files');
		expect(files).not.toContain('(the newest edit)');
	});
});
