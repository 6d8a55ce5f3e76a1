import { never, type Json } from '@amodal/sdk'
import { withoutControls } from '@amodal/sdk/data'
import type {
  Act,
  ConversationPlace,
  RequestDivergence,
  SessionDivergence,
} from '@amodal/plugin-evals/tokens'

/** How many sessions came to what. */
export interface UpgradeCounts {
  readonly same: number
  /** They do the same, and the model is sent something else. */
  readonly otherRequests: number
  readonly diverged: number
  readonly failed: number
}

/** Characters of a text of the model or of a tool. */
const MOST = 300
/** Characters of a hash. */
const HASH = 12

/** Lines for one session; none where all is equal. */
export function divergenceLines({ act, request, session }: SessionDivergence): readonly string[] {
  const sent = request ? [requestLine(request)] : []
  if (!act) return request ? [`${session}: does the same`, ...sent] : []
  return [
    `${session}: diverges at ${placeText(act)}`,
    `    journaled: ${actText(act.journaled)}`,
    `    snapshot:  ${actText(act.replayed)}`,
    ...(isAlike(act.journaled, act.replayed) ? [`    differs in: ${act.field}`] : []),
    ...sent,
  ]
}

/** Such as `3 sessions: 2 the same, 0 with another prompt, 1 diverged, 0 failed`. */
export const countsLine = ({ diverged, failed, otherRequests, same }: UpgradeCounts): string =>
  `${same + otherRequests + diverged + failed} sessions: ${same} the same, ${otherRequests} with another prompt, ${diverged} diverged, ${failed} failed`

const placeText = ({ agents, message, step }: ConversationPlace): string =>
  [...agents, `message ${message}, step ${step}`].join('/')

function requestLine({ part, prompt, what, ...place }: RequestDivergence): string {
  const hashes = prompt && `, ${prompt.before.slice(0, HASH)} → ${prompt.after.slice(0, HASH)}`
  return `    sent to the model: ${part}, ${what}${hashes ?? ''} (${placeText(place)})`
}

const isAlike = (one: Act, other: Act): boolean => actText(one) === actText(other)

function actText(act: Act): string {
  switch (act.does) {
    case 'call':
      return `calls ${callText(act)} (${act.status})`
    case 'lack':
      return `has no tool ${act.tool}`
    case 'refuse':
      return `refuses ${callText(act)}: ${act.code}: ${shown(act.message)}`
    case 'fail':
      return `calls ${callText(act)}, which fails: ${act.code}: ${shown(act.message)}`
    case 'ask':
      return `asks a person (${act.type})${act.tool === undefined ? '' : ` about ${act.tool}`}`
    case 'dispatch':
      return `has the agent ${act.agent} work: ${shown(act.prompt)}`
    case 'text':
      return `answers ${shown(act.text)}`
    case 'end':
      return `ends (${act.reason})${act.message === undefined ? '' : `: ${shown(act.message)}`}`
    case 'other':
      return act.kind
    case 'nothing':
      return 'nothing'
    default:
      return never(act)
  }
}

const callText = ({ args, tool }: { readonly args: Json; readonly tool: string }): string =>
  shown(`${tool} ${JSON.stringify(args)}`)

function shown(text: string): string {
  const line = withoutControls(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line
}
