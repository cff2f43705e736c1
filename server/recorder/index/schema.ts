/** Version of the tables and their content; an index of another version is rebuilt. */
export const indexVersion = 2;

/**
 * Tables of the index.
 *
 * The table `words` stores no texts. Its column `scope` has words for the agent and the folders of a passage, so that a search
 * in one folder is as fast as a search in all folders.
 */
export const indexSchema = `
create table if not exists recordings (
	id integer primary key, recordingId text not null unique, nextSeq integer not null default 0);
create table if not exists scopes (id integer primary key, terms text not null unique);
create table if not exists passages (
	id integer primary key, recording integer not null, seq integer not null, messageId text not null,
	key integer not null, digest integer, role text not null, isGenerated integer not null, tool text, path text,
	at integer not null, scope integer not null, content blob not null);
create index if not exists passagesByMessage on passages (recording, key);
create index if not exists passagesInOrder on passages (recording, seq);
create virtual table if not exists words using fts5 (
	text, scope, content = '', columnsize = 0, tokenize = 'porter unicode61 remove_diacritics 2');
`;

/** Statements for a new index, which make SQLite erase removed words at once and not at a later merge. */
export const indexSettings = `
insert into words (words, rank) values ('secure-delete', 1);
pragma user_version = ${indexVersion};
`;
