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
		'这个别动，其他的随便改。',
		'那两个别删，还有用。',
		'テストを書き換えてはいけません。',
		'勝手に公開しないでください。',
		'ファイルを消す前に確認してください。',
	])('a rule is found in %s', (text) => expect(binds(text)).toBe(true));
});

describe('statements in other languages', () => {
	it.each([
		'Das geht nicht.',
		'Der Import schlägt immer noch fehl.',
		'Der Export hat noch nie funktioniert.',
		'Es werden immer mehr Zeilen doppelt.',
		'Der zukünftige Name der Tabelle ist orders.',
		'Le test ne passe toujours pas.',
		'测试全部通过。',
		'类别改成下拉菜单。',
		'个别用户无法登录。',
		'这次的个别改动比较大。',
		'请分别提交两个改动。',
		'我不得不重启服务器。',
		'テストはすべて通りました。',
		'関数は絶対パスを返します。',
		'値は必ずしも一意ではありません。',
		'今後の予定を表にしました。',
	])('no rule is found in a statement in %s', (text) => expect(binds(text)).toBe(false));
});
