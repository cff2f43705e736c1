/** Translates the English texts in the code into the language of the editor. */

let translations: Readonly<Record<string, string>> = {};

/** Sets the translations by English text. Texts without a translation stay English. */
export function setBundle(bundle: Readonly<Record<string, string>> | undefined): void {
	translations = bundle ?? {};
}

/** Returns whether texts are translated. */
export function isTranslated(): boolean {
	return Object.keys(translations).length > 0;
}

/** Returns the translation of a text with the parts inserted for `{0}`, `{1}`, and so on. */
export function t(text: string, ...parts: (string | number)[]): string {
	return (translations[text] ?? text).replace(/\{(\d+)\}/g, (whole, index) =>
		String(parts[Number(index)] ?? whole),
	);
}
