/** A JSON object of a route of this plugin. */
export type Fields = Readonly<Record<string, unknown>>

/** Characters of a value in a line. */
const CHARS = 120

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const short = (value: unknown): string => {
  const line = text(value).replaceAll(/\s+/g, ' ')
  return line.length > CHARS ? `${line.slice(0, CHARS - 1)}…` : line
}
const rows = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? (value as readonly Fields[]) : [] // of our own routes

/** An event of a run as a line of its log. */
export function eventLine(event: Fields): string {
  const time = text(event['timestamp']).slice(11, 19)
  return `${time}  ${contentOf(event)}`
}

function contentOf(event: Fields): string {
  const tool = text(event['toolId'])
  switch (event['type']) {
    case 'thinking':
      return short(event['text'])
    case 'tool_start':
      return `→ ${tool} ${short(event['inputSummary'])}`
    case 'tool_complete':
      return `✓ ${tool} ${String(event['durationMs'])} ms ${short(event['resultSummary'])}`
    case 'tool_error':
      return `✗ ${tool} ${short(event['error'])}`
    case 'paused':
      return `waits for a person: ${text(event['pending_input_type'])}`
    case 'error':
      return `✗ ${text(event['code'])}: ${short(event['message'])}`
    case 'turn_complete':
      return `turn ${String(event['turn'])}`
    default:
      return text(event['type'])
  }
}

/** A run: where it stands, what came of it, and what to do where it waits. */
export function detailLines(run: Fields): readonly string[] {
  const id = text(run['session_id'])
  const waiting = rows(run['pending_inputs'])
  return [
    `${text(run['status'])}  ${id}  ${text(run['profile_id'])}, ${String(run['turns_used'])} turns`,
    ...lineOf('', run['result_summary']),
    ...(run['result'] === null || run['result'] === undefined
      ? []
      : [JSON.stringify(run['result'], undefined, 2)]),
    ...lineOf('Artifact: ', run['result_artifact_id']),
    ...lineOf('Error: ', run['session_error']),
    ...lineOf('Reason: ', run['reason']),
    ...waiting.flatMap((one) => questionLines(one, id)),
  ]
}

const lineOf = (title: string, value: unknown): readonly string[] =>
  typeof value === 'string' && value !== '' ? [`${title}${value}`] : []

function questionLines(ask: Fields, id: string): readonly string[] {
  const type = text(ask['pending_input_type'])
  const answer = type === 'approval' ? '--approve, or --decline --reason TEXT' : "--input '{…}'"
  return [
    `Waits for ${type} ${text(ask['ask_id'])}: ${JSON.stringify(ask['pending_input_context'])}`,
    ...(type === 'approval' ? [] : [`Its answer: ${JSON.stringify(ask['pending_input_schema'])}`]),
    `Answer it: amodal agents resume ${id} ${answer}`,
  ]
}

export const listLines = ({ sessions }: Fields): readonly string[] =>
  rows(sessions).length === 0
    ? ['No runs yet: amodal agents run "TASK" starts one']
    : rows(sessions).map(
        (run) =>
          `${text(run['created_at']).slice(0, 16).replace('T', ' ')}  ${text(run['session_id'])}  ${text(run['status']).padEnd(14)}  ${text(run['profile_id'])}`,
      )

export const profileLines = ({ profiles }: Fields): readonly string[] =>
  rows(profiles).map(
    (profile) =>
      `${text(profile['id']).padEnd(20)}  ${text(profile['model'])}${text(profile['description']) === '' ? '' : `  ${short(profile['description'])}`}`,
  )
