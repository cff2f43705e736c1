import { describe, expect, it } from 'vitest';
import { collectRules } from '../../../server/core/analysis/rules.ts';
import { user } from './facts-sources.ts';

const binds = (text: string): boolean => collectRules([user(1, text)]).some(({ isBinding }) => isBinding);

describe('rules in other languages', () => {
	it.each([
		'Lösche nie Dateien, ohne zu fragen.',
		'Committe nichts auf den Hauptzweig.',
		'Du darfst die Tests nicht ändern.',
		'请勿直接提交到主分支。',
		'别动数据库里的旧数据。',
		'只能使用标准库。',
		'テストを書き換えてはいけません。',
		'勝手に公開しないでください。',
		'ファイルを消す前に確認してください。',
	])('a rule is found in %s', (text) => expect(binds(text)).toBe(true));
});

describe('statements in other languages', () => {
	it.each(['Das geht nicht.', '测试全部通过。', 'テストはすべて通りました。'])(
		'no rule is found in a statement in %s',
		(text) => expect(binds(text)).toBe(false),
	);
});
