export const archiveSchema = `
create table if not exists recordings (
	id integer primary key, recordingId text not null unique, agent text not null, label text not null,
	path text not null, sessionId text, parent text, title text, folder text, startedAt integer, updatedAt integer not null,
	pinned integer not null default 0, generation integer not null default 1, entries integer not null default 0,
	bytes integer not null default 0, nextSeq integer not null default 0, position text, firstDigest blob,
	erasing integer not null default 0);
create index if not exists recordingsByPath on recordings (path);
create index if not exists recordingsBySession on recordings (sessionId);
create index if not exists recordingsByStart on recordings (firstDigest);
create table if not exists blocks (
	id integer primary key, recording integer not null, first integer not null, count integer not null,
	chars integer not null, digests blob not null, content blob not null);
create unique index if not exists blocksInOrder on blocks (recording, first);
create table if not exists bodies (id integer primary key, digest blob not null unique, content blob not null);
create table if not exists uses (
	recording integer not null, body integer not null, primary key (recording, body)) without rowid;
create index if not exists usesByBody on uses (body);
create table if not exists dropped (digest blob primary key, size integer);
create table if not exists overdue (recordingId text primary key, since integer not null);
`;
