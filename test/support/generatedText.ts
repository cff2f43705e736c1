/**
 * Generates texts of types that are rare in recorded sessions, from a seed. They serve to fit and to measure the
 * calibrated estimate. Words of other languages are names of regions, languages and currencies from the runtime's locale
 * data, and sentences written for this file.
 */

type Random = (below: number) => number;

/** Returns random whole numbers from 0 up to a bound, equal for equal seeds (a linear congruential generator). */
export function randomFrom(seed: number): Random {
	let state = seed >>> 0;
	return (below) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const hex = '0123456789abcdef';

const englishWords =
	`the of and to in is that it for was on are with as be at by this have from or had not but what all were
	when we there can an your which their if do will each about how up out them then many some so these would
	other into has more her two like him see time could no make than first been its who now people my made over
	did down only way find use may water long little very after words called just where most know get through
	back much before go good new write our used me man too any day same right look think also around another
	came come work three must because does part even place well such here take why things help put years
	different away again off went old number great tell men say small every found still between name should
	home big give air line set own under read last never us left end along while might next sound below saw
	something thought both few those always looked show large often together asked house world going want
	school important until form food keep children feet land side without boy once animals life enough took
	sometimes four head above kind began almost live page got earth need far hand high year mother light
	parts country father let night following picture being study second eyes soon times story boys since
	white days ever paper hard near sentence better best across during today others however sure means knew
	try told young miles sun ways thing whole hear example heard several change answer room sea against top
	turned learn point city play toward five using himself usually money seen car morning compaction token
	conversation measurement daemon journal retrieve unexpected configuration persistent negotiation
	acknowledge substitution environmental characteristics bureaucracy reluctantly photosynthesis`.split(/\s+/);

const sentences: Record<string, string[]> = {
	zh: [
		'这个函数读取文件并返回其内容，如果文件不存在则抛出错误。',
		'我们昨天在公园里散步，天气很好，孩子们都很高兴。',
		'请检查配置是否正确，然后重新启动服务器。',
		'数据库连接失败，原因是密码已经过期，需要联系管理员。',
		'他说他明年想去北京学习中文，但是还没有决定。',
	],
	ja: [
		'この関数はファイルを読み込み、その内容を返します。',
		'昨日は友達と一緒に公園を散歩して、とても楽しかったです。',
		'設定が正しいか確認してから、サーバーを再起動してください。',
		'データベースへの接続に失敗しました。パスワードの有効期限が切れています。',
		'来年は東京の大学で勉強したいと思っていますが、まだ決めていません。',
	],
	ko: [
		'이 함수는 파일을 읽고 그 내용을 반환합니다.',
		'어제 친구들과 함께 공원에서 산책을 했는데 날씨가 아주 좋았습니다.',
		'설정이 올바른지 확인한 다음 서버를 다시 시작하십시오.',
		'비밀번호가 만료되어 데이터베이스에 연결하지 못했습니다.',
	],
	ru: [
		'Эта функция читает файл и возвращает его содержимое.',
		'Вчера мы гуляли в парке с друзьями, и погода была прекрасная.',
		'Проверьте, правильны ли настройки, и перезапустите сервер.',
		'Не удалось подключиться к базе данных, потому что срок действия пароля истёк.',
	],
	ar: ['هذه الدالة تقرأ الملف وتعيد محتواه.', 'يرجى التحقق من الإعدادات ثم إعادة تشغيل الخادم.'],
	hi: ['यह फ़ंक्शन फ़ाइल पढ़ता है और उसकी सामग्री लौटाता है।', 'कृपया सेटिंग जाँचें और सर्वर को पुनः आरंभ करें।'],
	el: ['Αυτή η συνάρτηση διαβάζει το αρχείο και επιστρέφει το περιεχόμενό του.', 'Ελέγξτε τις ρυθμίσεις.'],
	de: [
		'Diese Funktion liest die Datei und gibt ihren Inhalt zurück.',
		'Gestern waren wir mit Freunden im Park spazieren, und das Wetter war wunderschön.',
		'Überprüfen Sie bitte die Einstellungen, und starten Sie anschließend den Server neu.',
	],
	fr: [
		'Cette fonction lit le fichier et renvoie son contenu.',
		'Hier, nous nous sommes promenés dans le parc avec des amis, et le temps était très agréable.',
		"Vérifiez d'abord les paramètres, puis redémarrez le serveur.",
	],
	vi: ['Hàm này đọc tệp và trả về nội dung của nó.', 'Vui lòng kiểm tra cấu hình rồi khởi động lại máy chủ.'],
};

function pick<T>(random: Random, from: readonly T[]): T {
	return from[random(from.length)]!;
}

function characters(random: Random, length: number, alphabet: string): string {
	return Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
}

const regions = 'US DE FR JP CN IN BR ZA EG RU GB ES IT MX CA AU KR TR GR NO SE FI PL UA VN TH ID'.split(' ');
const languages = 'en de fr ja zh hi pt ar ru es it tr el nb sv fi pl uk vi th id he fa ko nl cs hu'.split(
	' ',
);
const currencies = 'USD EUR JPY CNY INR BRL ZAR EGP RUB GBP MXN CAD AUD KRW TRY NOK SEK PLN'.split(' ');

function localeNames(locale: string): string[] {
	const names = (type: Intl.DisplayNamesType, codes: string[]) => {
		const display = new Intl.DisplayNames([locale], { type });
		return codes.map((code) => display.of(code) ?? code);
	};
	return [...names('region', regions), ...names('language', languages), ...names('currency', currencies)];
}

function languageText(locale: string) {
	const names = localeNames(locale);
	return (random: Random) =>
		random(4) > 0
			? `${pick(random, sentences[locale]!)} `
			: `${pick(random, names)}, ${pick(random, names)}. `;
}

const identifier = (random: Random) => {
	const [first, second] = [pick(random, englishWords), pick(random, englishWords)];
	const capital = second.charAt(0).toUpperCase() + second.slice(1);
	return pick(random, [
		first,
		first + capital,
		`${first}_${second}`,
		`${first}-${second}`,
		first.toUpperCase(),
	]);
};

const stamp = (random: Random) => new Date(1.7e12 + random(1e9) * 60).toISOString();

/** A generator for each type of text. Its results are joined until the text is long enough. */
const stretches: Record<string, (random: Random) => string> = {
	prose: (random) => {
		const words = Array.from({ length: 6 + random(14) }, () => pick(random, englishWords));
		const end = pick(random, ['. ', '. ', '? ', ': ', '.\n\n']);
		return words.join(random(9) === 0 ? ', ' : ' ').replace(/^./, (letter) => letter.toUpperCase()) + end;
	},
	'json data': (random) =>
		`{"${identifier(random)}": ${random(100_000)}, "${identifier(random)}": "${pick(random, englishWords)} ${identifier(random)}", "ok": ${random(2) === 0}},\n`,
	'json one line': (random) =>
		`{"id":"${characters(random, 12, hex)}","${identifier(random)}":[${random(99)},${random(9999)}],"${identifier(random)}":null},`,
	logs: (random) =>
		`${stamp(random)} [${pick(random, ['INFO', 'WARN', 'ERROR', 'DEBUG'])}] ${identifier(random)}: ${pick(random, englishWords)} ${identifier(random)} took ${random(5000)}ms id=${characters(random, 8, hex)} 10.0.${random(255)}.${random(255)}:${random(65536)}\n`,
	'file listing': (random) =>
		`-rw-r--r-- 1 root root ${String(random(1e6)).padStart(8)} Jan ${10 + random(18)} ${10 + random(12)}:${10 + random(49)} ${identifier(random)}/${identifier(random)}.${pick(random, ['ts', 'json', 'md', 'py'])}\n`,
	'numeric table': (random) =>
		`${Array.from({ length: 8 }, () => (random(1e6) / 10 ** random(5)).toFixed(random(4)).padStart(10)).join(' ')}\n`,
	csv: (random) =>
		`${random(100_000)},${identifier(random)},${random(1000) / 100},${stamp(random).slice(0, 10)},"${pick(random, englishWords)} ${pick(random, englishWords)}"\n`,
	base64: (random) => `${characters(random, 76, base64)}\n`,
	'base64 one line': (random) => characters(random, 100, base64),
	hex: (random) => `${characters(random, 40, hex)}${pick(random, [' ', '\n', ''])}`,
	'hex dump': (random) =>
		`${characters(random, 8, hex)}  ${Array.from({ length: 16 }, () => characters(random, 2, hex)).join(' ')}\n`,
	uuids: (random) => `${[8, 4, 4, 4, 12].map((length) => characters(random, length, hex)).join('-')}\n`,
	capitals: (random) =>
		`${identifier(random).toUpperCase()}_${identifier(random).toUpperCase()}=${random(99)}\n`,
	rules: (random) => `${pick(random, ['-', '=', '*', '#', ' ', '─', '\t']).repeat(1 + random(90))}\n`,
	emoji: (random) =>
		`${pick(random, ['✅', '🚀', '❌', '⚠️', '👍🏽', '👩‍💻', '→', '•'])} ${pick(random, englishWords)} `,
	'emoji runs': (random) =>
		`${Array.from({ length: 2 + random(12) }, () => pick(random, ['😀', '🎉', '🚀', '🔥', '🤖', '👍🏽', '👩‍💻', '👨‍👩‍👧', '🇯🇵', '🫠'])).join('')} `,
	...Object.fromEntries(Object.keys(sentences).map((locale) => [`text ${locale}`, languageText(locale)])),
};

/** All types of text that `generatedText` can generate. */
export const generatedTypes: readonly string[] = Object.keys(stretches);

/** Returns a text of a type with about `length` UTF-16 units. */
export function generatedText(type: string, seed: number, length: number): string {
	const stretch = stretches[type];
	if (stretch === undefined) throw new Error(`Expected one of ${generatedTypes.join(', ')}, got "${type}".`);
	const random = randomFrom(seed);
	const parts: string[] = [];
	for (let units = 0; units < length; units += parts.at(-1)!.length) parts.push(stretch(random));
	return parts.join('');
}
