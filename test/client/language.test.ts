import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { setBundle, t } from '../../client-vscode/src/text/language.ts';
import { formatReceipt, formatStages } from '../../client-vscode/src/text/receiptText.ts';
import { describeStatusBar } from '../../client-vscode/src/usage/statusBarText.ts';
import { receipt } from './receipt.ts';
import { stats } from './stats.ts';

const extension = fileURLToPath(new URL('../../client-vscode', import.meta.url));

function textOf(name: string): string {
	return readFileSync(join(extension, name), 'utf8');
}

function tableOf(name: string): Record<string, string> {
	return JSON.parse(textOf(name)) as Record<string, string>;
}

const sources = readdirSync(join(extension, 'src'), { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.ts'))
	.map((name) => ({ name, text: textOf(join('src', name)) }));

/** Returns placeholders, settings, command links and code in a text. */
function findFixedParts(text: string): string[] {
	return (text.match(/\{\w+\}|#contextd\.[\w.]+#|\(command:[^)]*\)|`[^`]*`/g) ?? []).sort();
}

describe('strings of the code', () => {
	const german = tableOf('l10n/bundle.l10n.de.json');
	const figures = readFileSync(join(extension, '../server/core/figures.ts'), 'utf8');
	const said = [...sources, { text: figures }].flatMap(({ text }) =>
		[...text.matchAll(/\bt\(\s*'((?:[^'\\]|\\.)*)'/g)].map(([, words = '']) =>
			words.replace(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign)),
		),
	);

	it('every string is one literal argument of t', () => {
		for (const { name, text } of sources) {
			if (name.endsWith('language.ts')) continue;
			expect([name, text.match(/\bt\((?!\s*')[^)]*/g) ?? []]).toEqual([name, []]);
		}
	});

	it('German translates exactly the strings of the code', () => {
		expect(Object.keys(german).sort()).toEqual([...new Set(said)].sort());
	});

	it('German strings have the same placeholders, settings and links', () => {
		for (const [english, text] of Object.entries(german))
			expect([english, findFixedParts(text)]).toEqual([english, findFixedParts(english)]);
	});

	it('user interface texts are passed only through `t`', () => {
		const shown =
			/(?:show(?:Information|Warning|Error)Message|setStatusBarMessage|confirm)\(\s*(?:'|`[^`$]*[a-z]{3})[^\n]*|\b(?:title|label|detail|placeHolder|prompt|tooltip|description|heading)(?::|\s=)\s*'[^']*[a-z]{3}[^']*'/g;
		/** Product names, which are the same in every language. */
		const names =
			/'(?:Anthropic Messages|OpenAI [\w ]+|Gemini|Amazon Bedrock Converse|AI SDK|NeuroLink|contextd)'$/;
		const bare = sources.flatMap(({ name, text }) =>
			(text.match(shown) ?? [])
				.filter((one) => !names.test(one) && !one.includes('contextd: $'))
				.map((one) => `${name}: ${one}`),
		);
		expect(bare).toEqual([]);
	});
});

describe('strings of the manifest', () => {
	const english = tableOf('package.nls.json');
	const german = tableOf('package.nls.de.json');
	const keys = [...textOf('package.json').matchAll(/"%([^"%]+)%"/g)].map(([, key = '']) => key);

	it('English and German have exactly the strings of the manifest', () => {
		const needed = [...new Set(keys)].sort();
		expect(Object.keys(english).sort()).toEqual(needed);
		expect(Object.keys(german).sort()).toEqual(needed);
	});

	it('German strings of the manifest have the same settings, commands and values', () => {
		for (const [key, text] of Object.entries(english))
			expect([key, findFixedParts(german[key] ?? '')]).toEqual([key, findFixedParts(text)]);
	});

	it('the code calls its commands by the names of the manifest', () => {
		const titles = Object.entries(english).filter(([key]) => /^\w+\.title$/.test(key));
		const said = sources.map(({ text }) => text).join('\n');
		for (const name of ['compact', 'undo', 'preview', 'showUsage', 'selectSession', 'takeAlong'])
			expect(said).toContain(`t('${Object.fromEntries(titles)[`${name}.title`]}')`);
	});

	it('the manifest contains no literal texts', () => {
		const texts =
			/"(?:title|shortTitle|description|markdownDescription|deprecationMessage|name|altText)": "(?!%)([^"]*)"/g;
		const bare = [...textOf('package.json').matchAll(texts)].map(([, text]) => text);
		const names = ['contextd-vscode', 'contextd_recall', 'contextd_usage'];
		expect(bare.sort()).toEqual(names);
	});
});

describe('German in the editor', () => {
	afterEach(() => setBundle(undefined));

	it('the meter is shown in German', () => {
		setBundle(tableOf('l10n/bundle.l10n.de.json'));
		const usage = {
			kind: 'known',
			session: { sessionId: 's', isReadOnly: false },
			measurement: { stats: stats(), at: 0 },
		} as const;
		const { label, tooltip } = describeStatusBar(usage, { now: 12_000, format: '{percent}' });
		expect(label).toBe('Kontextfenster zu 63% voll');
		expect(tooltip).toContain('&nbsp;Werkzeugergebnisse | 22k | 16% |');
		expect(tooltip).toContain('Vom Anbieter gemeldet, vor 12 s');
	});

	it('reasons and receipts are shown in German', () => {
		const nothing = {
			...receipt,
			compacted: false,
			reasonCode: 'just_compacted' as const,
			reason: 'as the daemon says',
		};
		expect(formatReceipt(nothing)).toBe('Nothing was compacted: as the daemon says.');
		setBundle(tableOf('l10n/bundle.l10n.de.json'));
		expect(formatReceipt(nothing)).toBe(
			'Es wurde nichts verdichtet: Seit der letzten Verdichtung kam nichts hinzu.',
		);
		expect(formatStages(['deduplicate', 'summarize'])).toBe('Doppeltes entfernt, zusammengefasst');
	});

	it('missing translations fall back to English, with their parts filled in', () => {
		setBundle({ 'a {0} and {1}': 'ein {1} und {0}' });
		expect(t('a {0} and {1}', 'x', 2)).toBe('ein 2 und x');
		expect(t('nothing of {0}', 'that')).toBe('nothing of that');
	});
});
