import { truncateLine, type JournalEntry } from '@amodal/sdk'

interface Line {
  readonly event: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** The model can call a tool that does not exist, by a name of any length. */
const MOST_NAME = 128

/**
 * The log line of a journal entry: names, sizes and outcomes. Content of people, models and tools
 * stays in the journal.
 */
export function lineOf(entry: JournalEntry): Line | undefined {
  switch (entry.kind) {
    case 'user_message':
      return {
        event: 'run_started',
        facts: {
          characters: entry.text.length,
          files: entry.assets?.length ?? 0,
          principal: entry.principal,
        },
      }
    case 'tool_outcome':
      return {
        event: 'tool_call',
        facts: {
          tool: truncateLine(entry.name, MOST_NAME),
          status: entry.status,
          ms: entry.ms,
          call: entry.call,
          ...(entry.code !== undefined && { code: entry.code }),
        },
      }
    case 'input_asked':
      return {
        event: 'input_asked',
        facts: { type: entry.ask_type, ask: entry.ask, tool: entry.name },
      }
    case 'input_answered':
      return {
        event: 'input_answered',
        facts: {
          type: entry.ask_type,
          ask: entry.ask,
          principal: entry.principal,
          approved: entry.answer['approved'] === true,
          void: entry.void,
        },
      }
    case 'child_opened':
      return {
        event: 'subagent_started',
        facts: { agent: entry.agent, call: entry.call, child: entry.child },
      }
    case 'child_closed':
      return {
        event: 'subagent_ended',
        facts: {
          agent: entry.agent,
          call: entry.call,
          child: entry.child,
          status: entry.status,
          ms: entry.ms,
        },
      }
    case 'compacted':
      return {
        event: 'history_compacted',
        facts: {
          cause: entry.cause,
          tokens_before: entry.tokens_before,
          tokens_after: entry.tokens_after,
        },
      }
    // Logged elsewhere with more facts: by the hooks of models and runs, or with the outcome.
    case 'model_reply':
    case 'tool_intent':
    case 'run_ended':
    case 'note':
      return undefined
  }
}
