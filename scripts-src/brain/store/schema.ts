/** Marks a database as a brain's ("CoBr"), and says which of these schemas it has. */
export const applicationId = 0x436f4272;
export const schemaVersion = 3;

/**
 * The search index holds no text of its own: triggers keep it in step with `memory`, no matter who writes.
 * `secure-delete` takes a removed word out of the index at once instead of marking it.
 */
export const schema = `
create table memory (
  id integer primary key,
  key text not null unique,
  -- What is searched of the value; it is the value itself where "json" is null.
  text text not null,
  json text,
  tags text not null,
  -- What the index does not see by itself: words inside names that are written together, pairs of
  -- characters of scripts without blanks.
  names text not null,
  source text not null,
  session text,
  version integer not null,
  created text not null,
  updated text not null
) strict;

create virtual table memory_index using fts5(
  key, tags, text, names,
  content = 'memory', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
insert into memory_index (memory_index, rank) values ('secure-delete', 1);

create table tally (memories integer not null, version_floor integer not null) strict;
insert into tally values (0, 0);

create trigger memory_added after insert on memory begin
  insert into memory_index (rowid, key, tags, text, names)
    values (new.id, new.key, new.tags, new.text, new.names);
  update tally set memories = memories + 1;
end;
create trigger memory_changed after update on memory begin
  insert into memory_index (memory_index, rowid, key, tags, text, names)
    values ('delete', old.id, old.key, old.tags, old.text, old.names);
  insert into memory_index (rowid, key, tags, text, names)
    values (new.id, new.key, new.tags, new.text, new.names);
end;
create trigger memory_removed after delete on memory begin
  insert into memory_index (memory_index, rowid, key, tags, text, names)
    values ('delete', old.id, old.key, old.tags, old.text, old.names);
  update tally set memories = memories - 1, version_floor = max(version_floor, old.version);
  delete from injection where subject = old.key and reason in ('relevant', 'own');
end;

create table session (
  id text primary key,
  epoch integer not null default 0,
  latches text,
  cli text,
  content text,
  saved text,
  touched text not null
) strict;

create table injection (
  id integer primary key,
  session text not null,
  epoch integer not null,
  reason text not null,
  subject text not null,
  version integer not null,
  score real,
  characters integer not null,
  at text not null
) strict;
create index injection_of_session on injection (session, epoch);
create index injection_of_subject on injection (subject);

create table event (
  id integer primary key autoincrement,
  kind text not null,
  -- As JSON: news from outside may hold any character.
  text text not null,
  source text not null,
  session text,
  at text not null,
  taken_by text,
  taken text
) strict;
create index event_pending on event (id) where taken is null;

create table learned (
  -- Digests: who forgets a session by its name finds no trace of it here.
  source text primary key,
  stamp text not null,
  said text not null
) strict;

-- Whose brain made this, and how the database before it was lost.
create table origin (id text not null, proof text not null, loss text) strict;

pragma application_id = ${applicationId};
pragma user_version = ${schemaVersion};
`;

/** How a database is opened, each time. */
export const settings = `
-- A brain is the only one that has its database; the system lets go of it when the brain dies.
pragma locking_mode = exclusive;
pragma busy_timeout = 3000;
-- A database that came with a repository may not run anything but the schema's own triggers.
pragma trusted_schema = off;
pragma journal_mode = wal;
pragma synchronous = full;
pragma secure_delete = on;
-- Pages of a large index that are read again and again, in KiB.
pragma cache_size = -65536;
-- After a large change the log of changes shrinks to this.
pragma journal_size_limit = 4194304;
`;
