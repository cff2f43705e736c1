/** The HTML page of a view. */

export interface PageParts {
	/** The webview's own origin, for styles. */
	cspSource: string;
	script: string;
	style: string;
	/** Random for each page; only scripts with it run. */
	nonce: string;
	/** Language of the texts, as `en` or `de`. */
	language: string;
	title: string;
	/** Text before there are stats. */
	waiting: string;
}

function escaped(text: string): string {
	return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Returns the page, which may load only its own script and style. */
export function pageHtml({ cspSource, script, style, nonce, language, title, waiting }: PageParts): string {
	const policy = [`default-src 'none'`, `style-src ${cspSource}`, `script-src 'nonce-${nonce}'`].join('; ');
	return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main id="view"><p>${escaped(waiting)}</p></main>
<div id="status" role="status" aria-live="polite" class="unseen"></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
