/**
 * The steps from an empty file to the present schema, oldest first; each is a list of single statements. A step that has
 * been released is never changed: `PRAGMA user_version` counts the ones that a file has behind it.
 *
 * `events` is the truth, and the columns of `sessions` are its projection, written inside the same transaction.
 */
export const migrations: ReadonlyArray<ReadonlyArray<string>> = [
  [
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      project TEXT NOT NULL,
      profile TEXT NOT NULL,
      title TEXT NOT NULL DEFAULT '',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      status TEXT NOT NULL DEFAULT 'open',
      epoch INTEGER NOT NULL,
      head INTEGER NOT NULL DEFAULT 0,
      visible_from INTEGER NOT NULL DEFAULT 1
    ) WITHOUT ROWID`,
    `CREATE INDEX sessions_by_project ON sessions (project, updated_at)`,
    `CREATE TABLE events (
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      time INTEGER NOT NULL,
      tag TEXT NOT NULL,
      task_id TEXT,
      iteration INTEGER,
      worker TEXT,
      event TEXT NOT NULL,
      PRIMARY KEY (session_id, seq)
    )`,
    `CREATE TABLE messages (
      id INTEGER PRIMARY KEY,
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      task_id TEXT,
      worker TEXT,
      role TEXT NOT NULL,
      content TEXT NOT NULL,
      message TEXT NOT NULL,
      time INTEGER NOT NULL
    )`,
    `CREATE UNIQUE INDEX messages_by_session ON messages (session_id, seq)`,
    `CREATE TABLE tasks (
      session_id TEXT NOT NULL,
      task_id TEXT NOT NULL,
      prompt TEXT NOT NULL,
      state TEXT NOT NULL,
      queued_at INTEGER NOT NULL,
      ended_at INTEGER,
      PRIMARY KEY (session_id, task_id)
    ) WITHOUT ROWID`,
    `CREATE INDEX tasks_open ON tasks (session_id) WHERE ended_at IS NULL`,
    `CREATE TABLE tool_calls (
      session_id TEXT NOT NULL,
      task_id TEXT NOT NULL,
      iteration INTEGER NOT NULL,
      worker TEXT NOT NULL,
      call_id TEXT NOT NULL,
      tool TEXT NOT NULL,
      state TEXT NOT NULL,
      PRIMARY KEY (session_id, task_id, worker, iteration, call_id)
    ) WITHOUT ROWID`,
    `CREATE INDEX tool_calls_open ON tool_calls (session_id) WHERE state IN ('asked', 'started')`,
    `CREATE TRIGGER events_message AFTER INSERT ON events WHEN NEW.tag IN (
      'TaskStarted', 'ModelAnswered', 'MessageRecorded', 'SessionCompacted',
      'ToolCallCompleted', 'ToolCallFailed', 'ToolCallInterrupted', 'ToolCallOutcomeUnknown'
    ) AND NEW.event -> '$.message' IS NOT NULL BEGIN
      INSERT INTO messages (session_id, seq, task_id, worker, role, content, message, time) VALUES (
        NEW.session_id, NEW.seq, NEW.task_id, NEW.worker,
        NEW.event ->> '$.message.message.role',
        coalesce(NEW.event ->> '$.message.message.content', ''),
        NEW.event -> '$.message',
        NEW.time
      );
    END`,
    `CREATE TRIGGER events_session AFTER INSERT ON events
      WHEN NEW.tag IN ('SessionCleared', 'SessionCompacted', 'SessionEnded', 'SessionResumed', 'ModelSwitched') BEGIN
      UPDATE sessions SET
        visible_from = CASE NEW.tag
          WHEN 'SessionCleared' THEN NEW.seq + 1 WHEN 'SessionCompacted' THEN NEW.seq ELSE visible_from END,
        status = CASE NEW.tag WHEN 'SessionEnded' THEN 'ended' WHEN 'SessionResumed' THEN 'open' ELSE status END,
        profile = CASE NEW.tag WHEN 'ModelSwitched' THEN NEW.event ->> '$.profile' ELSE profile END
      WHERE id = NEW.session_id;
    END`,
    `CREATE TRIGGER events_task_queued AFTER INSERT ON events WHEN NEW.tag = 'TaskQueued' BEGIN
      INSERT INTO tasks (session_id, task_id, prompt, state, queued_at)
        VALUES (NEW.session_id, NEW.task_id, NEW.event ->> '$.prompt', 'queued', NEW.time);
      UPDATE sessions SET title = substr(NEW.event ->> '$.prompt', 1, 80) WHERE id = NEW.session_id AND title = '';
    END`,
    `CREATE TRIGGER events_task_started AFTER INSERT ON events WHEN NEW.tag = 'TaskStarted' BEGIN
      UPDATE tasks SET state = 'running' WHERE session_id = NEW.session_id AND task_id = NEW.task_id;
    END`,
    `CREATE TRIGGER events_task_ended AFTER INSERT ON events
      WHEN NEW.tag IN ('TaskCompleted', 'TaskFailed', 'TaskInterrupted') BEGIN
      UPDATE tasks SET ended_at = NEW.time,
        state = CASE NEW.tag
          WHEN 'TaskCompleted' THEN 'completed' WHEN 'TaskFailed' THEN 'failed' ELSE 'interrupted' END
      WHERE session_id = NEW.session_id AND task_id = NEW.task_id;
    END`,
    `CREATE TRIGGER events_calls_asked AFTER INSERT ON events
      WHEN NEW.tag = 'ModelAnswered' AND json_type(NEW.event, '$.message.message.tool_calls') = 'array' BEGIN
      INSERT OR IGNORE INTO tool_calls (session_id, task_id, iteration, worker, call_id, tool, state)
        SELECT NEW.session_id, NEW.task_id, NEW.iteration, NEW.worker,
          call.value ->> '$.id', call.value ->> '$.function.name', 'asked'
        FROM json_each(NEW.event, '$.message.message.tool_calls') AS call;
    END`,
    `CREATE TRIGGER events_call AFTER INSERT ON events WHEN NEW.tag IN (
      'ToolCallCompleted', 'ToolCallFailed', 'ToolCallInterrupted', 'ToolCallOutcomeUnknown'
    ) OR (NEW.tag = 'ToolCallStarted' AND NOT NEW.event ->> '$.readOnly') BEGIN
      UPDATE tool_calls SET
        state = CASE NEW.tag
          WHEN 'ToolCallStarted' THEN 'started'
          WHEN 'ToolCallCompleted' THEN 'completed' WHEN 'ToolCallFailed' THEN 'failed'
          WHEN 'ToolCallInterrupted' THEN 'interrupted' ELSE 'unknown' END
      WHERE session_id = NEW.session_id AND task_id = NEW.task_id AND worker = NEW.worker
        AND iteration = NEW.iteration AND call_id = NEW.event ->> '$.callId';
    END`
  ],
  [
    `CREATE TABLE audit (
      id INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      kind TEXT NOT NULL,
      session TEXT NOT NULL,
      worker TEXT,
      tool TEXT,
      call TEXT,
      approval TEXT,
      digest TEXT,
      arguments TEXT,
      decision TEXT,
      outcome TEXT,
      scope TEXT,
      decided_by TEXT,
      reason TEXT,
      waited_millis INTEGER,
      previous TEXT NOT NULL,
      hash TEXT NOT NULL
    )`,
    `CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit BEGIN
      SELECT RAISE(ABORT, 'the audit is only appended to');
    END`,
    `CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN
      SELECT RAISE(ABORT, 'the audit is only appended to');
    END`
  ],
  [
    `CREATE TABLE rules (
      project TEXT NOT NULL,
      id TEXT NOT NULL,
      rule TEXT NOT NULL,
      saved_at INTEGER NOT NULL,
      PRIMARY KEY (project, id)
    )`,
    `CREATE TABLE trusted_projects (
      project TEXT PRIMARY KEY,
      digest TEXT NOT NULL,
      trusted_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE INDEX events_approvals ON events (session_id, seq) WHERE tag IN ('ApprovalRequested', 'ApprovalResolved')`
  ],
  [
    `CREATE TABLE memories (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      scope TEXT NOT NULL CHECK (scope IN ('session', 'project')),
      session_id TEXT NOT NULL,
      project TEXT NOT NULL,
      text TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      place TEXT NOT NULL GENERATED ALWAYS AS (CASE scope WHEN 'project' THEN project ELSE session_id END)
    )`,
    `CREATE UNIQUE INDEX memories_once ON memories (scope, place, text)`,
    `CREATE VIRTUAL TABLE memories_index USING fts5(
      text, content = 'memories', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
    )`,
    `CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
      INSERT INTO memories_index (rowid, text) VALUES (NEW.id, NEW.text);
    END`,
    `CREATE TRIGGER memories_changed AFTER UPDATE OF id, text ON memories BEGIN
      INSERT INTO memories_index (memories_index, rowid, text) VALUES ('delete', OLD.id, OLD.text);
      INSERT INTO memories_index (rowid, text) VALUES (NEW.id, NEW.text);
    END`,
    `CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
      INSERT INTO memories_index (memories_index, rowid, text) VALUES ('delete', OLD.id, OLD.text);
    END`
  ],
  [
    `ALTER TABLE sessions ADD COLUMN owner TEXT`,
    `ALTER TABLE tool_calls ADD COLUMN by_user INTEGER NOT NULL DEFAULT 0`,
    `CREATE TRIGGER events_call_requested AFTER INSERT ON events WHEN NEW.tag = 'ToolCallRequested' BEGIN
      INSERT OR IGNORE INTO tool_calls (session_id, task_id, iteration, worker, call_id, tool, state, by_user) VALUES (
        NEW.session_id, NEW.task_id, NEW.iteration, NEW.worker,
        NEW.event ->> '$.callId', NEW.event ->> '$.tool', 'asked', 1
      );
    END`
  ],
  [
    `ALTER TABLE sessions ADD COLUMN waits INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE sessions ADD COLUMN open TEXT NOT NULL
      DEFAULT '{"visibleFrom":1,"tasks":[],"calls":[],"requests":[]}'`,
    `UPDATE sessions SET open = json_object(
      'visibleFrom', visible_from,
      'tasks', (SELECT json_group_array(task_id) FROM (
        SELECT task_id FROM tasks WHERE session_id = sessions.id AND ended_at IS NULL ORDER BY queued_at
      )),
      'calls', (SELECT json_group_array(json_object(
        'task', task_id, 'iteration', iteration, 'worker', json('["' || replace(worker, '/', '","') || '"]'),
        'callId', call_id, 'tool', tool,
        'mayHaveHappened', json(iif(state = 'started', 'true', 'false')), 'byUser', json(iif(by_user, 'true', 'false'))
      )) FROM tool_calls WHERE session_id = sessions.id AND state IN ('asked', 'started')),
      'requests', (SELECT json_group_array(json_object('id', id, 'task', task_id, 'seq', seq, 'time', time)) FROM (
        SELECT asked.event ->> '$.request.id' AS id, asked.task_id, asked.seq, asked.time
        FROM tasks AS task JOIN events AS asked ON asked.session_id = task.session_id AND asked.task_id = task.task_id
        WHERE task.session_id = sessions.id AND task.ended_at IS NULL AND asked.tag = 'ApprovalRequested'
          AND NOT EXISTS (
            SELECT 1 FROM events AS resolved WHERE resolved.session_id = asked.session_id AND resolved.seq > asked.seq
              AND resolved.tag = 'ApprovalResolved' AND resolved.event ->> '$.approvalId' = asked.event ->> '$.request.id'
          )
        ORDER BY asked.seq
      ))
    )`,
    `UPDATE sessions SET waits = json_array_length(open, '$.requests')`,
    `CREATE INDEX sessions_waiting ON sessions (id) WHERE waits > 0`,
    `CREATE INDEX events_queued ON events (session_id, task_id) WHERE tag = 'TaskQueued'`,
    `DROP TRIGGER events_message`,
    `DROP TRIGGER events_session`,
    `DROP TRIGGER events_task_queued`,
    `DROP TRIGGER events_task_started`,
    `DROP TRIGGER events_task_ended`,
    `DROP TRIGGER events_calls_asked`,
    `DROP TRIGGER events_call`,
    `DROP TRIGGER events_call_requested`,
    `DROP INDEX messages_by_session`,
    `DROP INDEX tasks_open`,
    `DROP INDEX tool_calls_open`,
    `DROP TABLE messages`,
    `DROP TABLE tasks`,
    `DROP TABLE tool_calls`,
    `ALTER TABLE sessions DROP COLUMN visible_from`
  ]
]
