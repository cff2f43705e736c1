import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEditRecord, planUndo } from '../../../server/front/setup/editedFile.ts';
import type { EditedFile } from '../../../server/front/setup/manifest.ts';
import { findMarkedLines, markLines, putMarkedLines } from '../../../server/front/setup/markedLines.ts';

const ours = markLines(['PS1=ours', 'fi']);
const newer = markLines(['PS1=newer']);

/** Puts our lines into a file as setup does. Returns its new bytes, and the record of the edit. */
function edit(
	before: Buffer | undefined,
	known?: EditedFile,
	marked = ours,
): { bytes: Buffer; record: EditedFile } {
	const after = putMarkedLines(before?.toString('latin1') ?? '', marked);
	return {
		bytes: Buffer.from(after, 'latin1'),
		record: createEditRecord({ path: '/f', before, after }, known),
	};
}

/** Returns the bytes that undo leaves; undefined if there is no file afterwards. */
function undone(record: EditedFile | undefined, bytes: Buffer | undefined): Buffer | undefined {
	const undo = planUndo(record, bytes);
	if (undo.kind === 'removed') return undefined;
	return undo.kind === 'unchanged' ? bytes : undo.bytes;
}

const contents = fc
	.oneof(
		fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
		fc
			.array(fc.constantFrom('a', '\n', '\r\n', '# >>> other >>>', 'é', ''), { maxLength: 8 })
			.map((parts) => Buffer.from(parts.join(''))),
	)
	.filter((bytes) => findMarkedLines(bytes.toString('latin1')) === undefined);
const priors = fc.option(contents, { nil: undefined });
const lines = fc
	.array(fc.constantFrom('x\n', 'é\n', '\n'), { maxLength: 3 })
	.map((parts) => Buffer.from(parts.join('')));

describe('undoEdit', () => {
	it('restores any file byte for byte if nobody changed it since, after any number of updates', () => {
		const property = fc.property(priors, fc.integer({ min: 0, max: 3 }), (prior, updates) => {
			let { bytes, record } = edit(prior);
			for (let update = 0; update < updates; update++) {
				({ bytes, record } = edit(bytes, record, update % 2 === 0 ? newer : ours));
			}
			expect(undone(record, bytes)).toEqual(prior);
		});
		fc.assert(property, { numRuns: 500 });
	});

	it('removes only our lines if the user changed the file before or after them', () => {
		const property = fc.property(priors, lines, lines, fc.boolean(), (prior, before, after, isUpdated) => {
			const first = edit(prior);
			let changed: Buffer = Buffer.concat([before, first.bytes, after]);
			let { record } = first;
			if (isUpdated) ({ bytes: changed, record } = edit(changed, record, newer));
			const kept = Buffer.concat([before, prior ?? Buffer.alloc(0), after]);
			const isApart = prior !== undefined && prior.length > 0 && !prior.toString('latin1').endsWith('\n');
			const expected =
				isApart && after.length > 0 ? Buffer.concat([before, prior, Buffer.from('\n'), after]) : kept;
			expect(undone(record, changed) ?? Buffer.alloc(0)).toEqual(expected);
		});
		fc.assert(property, { numRuns: 500 });
	});

	it('leaves a file alone whose lines the user removed, or that is gone', () => {
		const property = fc.property(priors, contents, (prior, now) => {
			const { record } = edit(prior);
			expect(undone(record, now)).toEqual(now);
			expect(planUndo(record, undefined)).toEqual({ kind: 'unchanged' });
		});
		fc.assert(property, { numRuns: 200 });
	});

	it('removes our lines from a file that is in no manifest', () => {
		expect(undone(undefined, edit(Buffer.from('a\n')).bytes)).toEqual(Buffer.from('a\n'));
	});

	it('changes nothing between two markers of which one is missing', () => {
		for (const text of ['# >>> contextd >>>\nPS1=x\n', 'PS1=x\n# <<< contextd <<<\n']) {
			const bytes = Buffer.from(text);
			expect(undone(edit(Buffer.from('')).record, bytes)).toEqual(bytes);
		}
	});
});

describe('findMarkedLines', () => {
	it.each([
		['# >>> contextd >>>\n', 'broken'],
		['# <<< contextd <<<\n', 'broken'],
		['# <<< contextd <<<\n# >>> contextd >>>\n', 'broken'],
		['# >>> contextd >>>\n# >>> contextd >>>\n# <<< contextd <<<\n', 'broken'],
		['echo "# >>> contextd >>>"\n', undefined],
		['a\n# >>> contextd >>> x\nb\n# <<< contextd <<<', { from: 2, to: 43 }],
	])('finds in %j: %j', (text, expected) => expect(findMarkedLines(text)).toEqual(expected));
});
