import { utf8Length } from './textSize.ts';

/** What a notice says. */
export interface Notice {
	/** UTF-8 bytes of the output as it came. */
	originalSize: number;
	/** UTF-8 bytes of it that were kept. */
	keptBytes: number;
	savedPath?: string;
	/** A further word after the notice, in brackets of its own. */
	remark?: string;
}

/** The one line that stands for what was left out of an output. */
export function noticeText(notice: Notice): string {
	const saved = notice.savedPath === undefined ? '' : `. Full output saved to: ${oneLine(notice.savedPath)}`;
	const remark = notice.remark === undefined ? '' : ` [${notice.remark}]`;
	const sizes = `from ${notice.originalSize} bytes to ${notice.keptBytes} bytes`;
	return `[Output truncated ${sizes}${saved}]${remark}`;
}

/** UTF-8 bytes that a notice needs at most, whatever number of kept bytes up to `keptBytes` it will name. */
export function noticeSize(notice: Notice): number {
	return utf8Length(noticeText(notice));
}

function oneLine(path: string): string {
	return path.replace(/[\r\n]/g, ' ');
}
