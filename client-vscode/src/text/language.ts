/** Texts in the language of the editor: the code says them in English, translations come from a bundle. */

let translations: Readonly<Record<string, string>> = {};

/** Speaks the language of a bundle from now on: translations by English text. English where there is none. */
export function setBundle(bundle: Readonly<Record<string, string>> | undefined): void {
	translations = bundle ?? {};
}

/** Whether texts are told in another language than English. */
export function isTranslated(): boolean {
	return Object.keys(translations).length > 0;
}

/** A text as the user reads it; `{0}`, `{1}`, … in it stand for the parts. */
export function t(text: string, ...parts: (string | number)[]): string {
	return (translations[text] ?? text).replace(/\{(\d+)\}/g, (whole, index) =>
		String(parts[Number(index)] ?? whole),
	);
}
