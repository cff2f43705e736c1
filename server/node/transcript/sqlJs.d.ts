/** The part of sql.js that reading needs; the package has no types. */
declare module 'sql.js' {
	interface Statement {
		bind(values: readonly string[]): boolean;
		step(): boolean;
		getAsObject(): Record<string, unknown>;
		free(): boolean;
	}
	interface Database {
		prepare(sql: string): Statement;
		run(sql: string): void;
		export(): Uint8Array;
		close(): void;
	}
	interface SqlJs {
		Database: new (bytes?: Uint8Array) => Database;
	}
	export default function initSqlJs(): Promise<SqlJs>;
}
