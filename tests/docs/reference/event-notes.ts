import type { EventType, RuntimeEventType } from '@amodal/sdk'

/** When an event of a conversation is sent. An event without a note does not compile. */
export const EVENT_NOTES: Readonly<Record<EventType, string>> = {
  init: 'The message is kept. Always first.',
  text_delta: 'A piece of the answer.',
  reasoning_delta: 'A piece of what the model thinks, where its provider shows it.',
  warning: 'Something that the turn goes on in spite of.',
  error: 'The turn ends with an error; `done` follows.',
  tool_call_start: 'A tool call begins.',
  tool_call_result: 'A tool call has its outcome.',
  tool_log: 'A tool tells of its progress.',
  tool_label_update: 'A tool call is to be shown with other words.',
  subagent_event: 'What a sub-agent does.',
  confirmation_required: 'The turn waits for an approval, or for continue-or-finish.',
  approved: 'An approval was given.',
  ask_user: 'The turn waits for answers to questions.',
  ask_choice: 'The turn waits for a choice among options.',
  widget: 'Something to draw.',
  skill_activated: 'The agent follows a skill from here on.',
  kb_proposal: 'The agent proposes a document of knowledge, or the proposal was decided.',
  credential_saved: 'A credential of a connection was saved.',
  explore_start: 'The sub-agent `explore` begins.',
  explore_end: 'The sub-agent `explore` ends.',
  plan_mode: 'The agent plans without effects, or its plan was approved.',
  field_scrub: 'Fields were removed from an answer of a connection.',
  compaction_start: 'Older messages are being summed up.',
  compaction_end: 'Older messages were summed up.',
  llm_start: 'A model call begins. Sent with `?events=all` alone.',
  llm_end: 'The reply to a model call is complete. Sent with `?events=all` alone.',
  retry: 'A model call failed and is made once more. Sent with `?events=all` alone.',
  state_snapshot:
    'The live state of the session as everybody may see it, whole: the version that a reader had is not known any more.',
  state_delta:
    'What has changed of the live state that everybody may see, as JSON Patch from version `base` to `version`.',
  reset: 'The reader forgets what came after that entry of the journal: it is sent again.',
  done: 'The turn has ended. Always last.',
}

/** When an event of the server is sent. */
export const RUNTIME_EVENT_NOTES: Readonly<Record<RuntimeEventType, string>> = {
  session_created: 'A session was made.',
  session_updated: 'A session has changed: a message, its title, its state.',
  session_deleted: 'A session was removed.',
  automation_triggered: 'An automation was asked to run.',
  automation_completed: 'A run of an automation ended well.',
  automation_failed: 'A run of an automation failed.',
  automation_started: 'An automation was switched on.',
  automation_stopped: 'An automation was switched off.',
  delivery_succeeded: 'A result of an automation was delivered.',
  delivery_failed: 'A result of an automation could not be delivered.',
  store_updated: 'Documents of a store were written or removed.',
  manifest_changed: "The agent's files were loaded once more, and differ.",
  files_changed:
    'A file of the agent was edited; with `problem`, the edit is broken and not in use.',
}
