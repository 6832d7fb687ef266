/**
 * What of the events is indexed as messages of the conversation. The released steps are made of these texts, so they stay as they
 * are.
 */

/** Whether an event has a message. */
export const withMessage = (event: string): string => `CASE WHEN ${event}.tag IN (
      'TaskStarted', 'ModelAnswered', 'MessageRecorded', 'SessionCompacted',
      'ToolCallCompleted', 'ToolCallFailed', 'ToolCallInterrupted', 'ToolCallOutcomeUnknown'
    ) AND json_valid(${event}.event) THEN ${event}.event ->> '$.message.message.role' IS NOT NULL ELSE FALSE END`

/** The columns of its row of the table `messages`. */
export const messageOf = (event: string): string => `${event}.session_id, ${event}.seq,
        ${event}.event ->> '$.message.message.role', ${event}.event ->> '$.tool', ${event}.time`

/** What is found of it: the content, and the calls with their arguments, where a line break is two characters. */
export const textOf = (event: string): string => `CASE WHEN NOT json_valid(${event}.event) THEN '' ELSE
      coalesce(${event}.event ->> '$.message.message.content', '') || coalesce((
        SELECT group_concat(char(10) || (call.value ->> '$.function.name') || ' ' ||
          replace(replace(call.value ->> '$.function.arguments', '\\n', ' '), '\\t', ' '), '')
        FROM json_each(${event}.event, '$.message.message.tool_calls') AS call
      ), '') END`
