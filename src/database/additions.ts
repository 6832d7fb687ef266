import { messageOf, textOf, withMessage } from "./messages.ts"
import { unspaced } from "./unspaced.ts"

/**
 * Steps behind the migrations that only add what a program without them can leave alone, so that it still reads and writes the
 * file; the table `store` counts the ones that a file has behind it.
 */
export const additions: ReadonlyArray<ReadonlyArray<string>> = [
  [
    `CREATE TABLE store (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      name TEXT NOT NULL,
      commits INTEGER NOT NULL,
      additions INTEGER NOT NULL
    )`,
    `INSERT INTO store (id, name, commits, additions) VALUES (1, lower(hex(randomblob(8))), 0, 1)`,
    `ALTER TABLE events ADD COLUMN checksum TEXT`
  ],
  [
    `CREATE INDEX events_answers ON events (session_id, event ->> '$.commandId') WHERE tag IN (
      'CommandPerformed', 'CommandRejected', 'TaskQueued', 'ApprovalRevoked', 'ApprovalPolicySet', 'ModelSwitched',
      'SessionCreated', 'SessionResumed', 'SessionCleared', 'SessionEnded'
    )`
  ],
  [
    `CREATE TABLE approval_answers (
      approval_id TEXT PRIMARY KEY,
      answer TEXT NOT NULL,
      sent_at INTEGER NOT NULL,
      outcome TEXT
    ) WITHOUT ROWID`
  ],
  [
    `ALTER TABLE memories ADD COLUMN kind TEXT NOT NULL DEFAULT 'note'`,
    `ALTER TABLE memories ADD COLUMN fingerprint TEXT`,
    `ALTER TABLE memories ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}'`,
    `CREATE UNIQUE INDEX memories_alike ON memories (scope, place, fingerprint)`
  ],
  [
    `CREATE TABLE cost_charges (
      id INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      session_id TEXT NOT NULL,
      project TEXT NOT NULL,
      amount INTEGER,
      charge TEXT NOT NULL
    )`,
    `CREATE INDEX cost_charges_by_time ON cost_charges (time)`,
    `CREATE INDEX cost_charges_by_session ON cost_charges (session_id)`,
    `CREATE TABLE cost_totals (
      scope TEXT NOT NULL,
      place TEXT NOT NULL,
      spent INTEGER NOT NULL,
      reserved INTEGER NOT NULL,
      alerted INTEGER NOT NULL,
      alerted_of INTEGER NOT NULL,
      PRIMARY KEY (scope, place)
    ) WITHOUT ROWID`,
    `CREATE TABLE cost_reservations (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      amount INTEGER NOT NULL,
      places TEXT NOT NULL,
      if_lost TEXT NOT NULL
    ) WITHOUT ROWID`
  ],
  [
    `CREATE TABLE messages (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      role TEXT NOT NULL,
      tool TEXT,
      time INTEGER NOT NULL,
      unspaced INTEGER NOT NULL DEFAULT 0
    )`,
    `CREATE UNIQUE INDEX messages_by_event ON messages (session_id, seq)`,
    `CREATE INDEX messages_unspaced ON messages (id) WHERE unspaced`,
    `CREATE VIEW message_texts AS
      SELECT messages.id AS id, ${textOf("events")} AS text
      FROM messages JOIN events ON events.session_id = messages.session_id AND events.seq = messages.seq`,
    `CREATE VIRTUAL TABLE messages_words USING fts5(
      text, content = 'message_texts', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
    )`,
    `CREATE VIRTUAL TABLE messages_trigrams USING fts5(
      text, content = 'message_texts', content_rowid = 'id', tokenize = 'trigram'
    )`,
    `INSERT INTO messages_words (messages_words, rank) VALUES ('secure-delete', 1)`,
    `INSERT INTO messages_trigrams (messages_trigrams, rank) VALUES ('secure-delete', 1)`,
    `CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
      INSERT INTO messages_words (rowid, text) SELECT id, text FROM message_texts WHERE id = NEW.id;
      INSERT INTO messages_trigrams (rowid, text)
        SELECT id, text FROM message_texts WHERE id = NEW.id AND text GLOB '*[${unspaced}]*';
      UPDATE messages SET unspaced = 1
        WHERE id = NEW.id AND EXISTS (SELECT 1 FROM message_texts WHERE id = NEW.id AND text GLOB '*[${unspaced}]*');
    END`,
    `CREATE TRIGGER messages_removed BEFORE DELETE ON messages BEGIN
      INSERT INTO messages_words (messages_words, rowid, text)
        SELECT 'delete', id, text FROM message_texts WHERE id = OLD.id;
      INSERT INTO messages_trigrams (messages_trigrams, rowid, text)
        SELECT 'delete', id, text FROM message_texts WHERE id = OLD.id AND OLD.unspaced;
      DELETE FROM vectors WHERE message_id = OLD.id;
    END`,
    `CREATE TRIGGER events_message AFTER INSERT ON events WHEN ${withMessage("NEW")} BEGIN
      INSERT INTO messages (session_id, seq, role, tool, time) VALUES (${messageOf("NEW")});
    END`,
    `CREATE TRIGGER events_message_removed BEFORE DELETE ON events BEGIN
      DELETE FROM messages WHERE session_id = OLD.session_id AND seq = OLD.seq;
    END`,
    `CREATE TRIGGER events_message_changing BEFORE UPDATE OF session_id, seq, event ON events BEGIN
      DELETE FROM messages WHERE session_id = OLD.session_id AND seq = OLD.seq;
    END`,
    `CREATE TRIGGER events_message_changed AFTER UPDATE OF session_id, seq, event ON events WHEN ${withMessage("NEW")} BEGIN
      INSERT INTO messages (session_id, seq, role, tool, time) VALUES (${messageOf("NEW")});
    END`,
    `CREATE TABLE unindexed (session_id TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID`,
    `INSERT INTO unindexed (session_id, until) SELECT id, head FROM sessions WHERE head > 0`,
    `CREATE TABLE vectors (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      message_id INTEGER NOT NULL UNIQUE,
      model TEXT NOT NULL,
      dimensions INTEGER NOT NULL,
      vector BLOB NOT NULL
    )`,
    `CREATE TABLE indexer (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      model TEXT NOT NULL DEFAULT '',
      until INTEGER NOT NULL DEFAULT 0,
      holder TEXT,
      held_until INTEGER NOT NULL DEFAULT 0
    )`,
    `INSERT INTO indexer (id) VALUES (1)`
  ],
  [
    `DROP INDEX events_answers`,
    `CREATE INDEX events_answers ON events (session_id, event ->> '$.commandId') WHERE tag IN (
      'CommandPerformed', 'CommandRejected', 'TaskQueued', 'ApprovalRevoked', 'ApprovalPolicySet', 'ModelSwitched',
      'SessionRenamed', 'SessionForked', 'SessionRewound', 'SessionCreated', 'SessionResumed', 'SessionCleared', 'SessionEnded'
    )`,
    `CREATE INDEX events_rewound ON events (session_id, seq) WHERE tag IN ('SessionRewound')`,
    `ALTER TABLE sessions ADD COLUMN forked_from TEXT`,
    `ALTER TABLE sessions ADD COLUMN forked_at INTEGER`,
    `CREATE INDEX sessions_forked ON sessions (forked_from) WHERE forked_from IS NOT NULL`,
    `CREATE TRIGGER events_forked AFTER INSERT ON events WHEN NEW.tag = 'SessionForked' BEGIN
      UPDATE sessions SET forked_from = NEW.event ->> '$.origin', forked_at = NEW.event ->> '$.last'
        WHERE id = NEW.session_id;
      DELETE FROM messages WHERE session_id = NEW.session_id AND seq <= NEW.event ->> '$.last';
    END`
  ],
  [
    `CREATE TABLE memory_vectors (memory_id INTEGER PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL)`,
    `CREATE TRIGGER memories_forgotten AFTER DELETE ON memories BEGIN
      DELETE FROM memory_vectors WHERE memory_id = OLD.id;
    END`
  ],
  [`CREATE INDEX requests_resolved ON audit (approval) WHERE kind = 'resolved'`],
  [`CREATE INDEX events_background ON events (session_id, seq) WHERE tag IN ('BackgroundStarted', 'BackgroundEnded')`]
]
