import { canonical } from '@amodal/sdk'
import { fileOf } from './folder.ts'
import type { RecordedRequest } from './request.ts'
import type { Tape } from './tape.ts'

/** Differences that are named, and characters around each. */
const MOST = 4
const AROUND = 50

/** Describes how the most similar recording differs from this request. */
export function nearest(request: RecordedRequest, tapes: readonly Tape[]): string {
  const scored = tapes
    .map((tape) => ({ tape, score: likeness(request, tape.asked) }))
    .sort((a, b) => b.score - a.score)
  const [best] = scored
  if (!best) return 'nothing is recorded'
  const found = differences(best.tape.asked, request)
  const more = found.length > MOST ? `; and ${found.length - MOST} more` : ''
  return `the nearest is ${fileOf(best.tape.key)}: ${found.slice(0, MOST).join('; ')}${more}`
}

/**
 * A common prefix of messages counts most, since one difference changes all that follow.
 */
function likeness(a: RecordedRequest, b: RecordedRequest): number {
  const differs = a.messages.findIndex(({ sha }, at) => sha !== b.messages[at]?.sha)
  const common =
    (differs === -1 ? a.messages.length : differs) /
    Math.max(1, a.messages.length, b.messages.length)
  return (
    4 * common +
    (a.system.sha === b.system.sha ? 2 : 0) +
    (canonical(a.tools) === canonical(b.tools) ? 1 : 0) +
    (a.model === b.model && a.provider === b.provider ? 1 : 0) +
    (canonical(a.settings) === canonical(b.settings) ? 0.5 : 0) +
    (a.messages.length === b.messages.length ? 0.25 : 0)
  )
}

function differences(recorded: RecordedRequest, request: RecordedRequest): readonly string[] {
  const found: string[] = []
  const differ = (what: string, before: string, now: string): void => {
    if (before !== now) found.push(`${what} was ${before}, and is ${now}`)
  }
  differ(
    'the model',
    `${recorded.provider}/${recorded.model}`,
    `${request.provider}/${request.model}`,
  )
  if (recorded.system.sha !== request.system.sha) {
    found.push(
      recorded.system.text === request.system.text
        ? `the system prompt is another (${recorded.system.sha}, now ${request.system.sha})`
        : `the system prompt ${apart(recorded.system.text, request.system.text)}`,
    )
  }
  for (const name of new Set([...Object.keys(recorded.tools), ...Object.keys(request.tools)])) {
    const [before, now] = [recorded.tools[name], request.tools[name]]
    if (before === now) continue
    const change = now === undefined ? 'gone' : 'described differently'
    found.push(`the tool ${name} is ${before === undefined ? 'new' : change}`)
  }
  for (const name of new Set([
    ...Object.keys(recorded.settings),
    ...Object.keys(request.settings),
  ])) {
    differ(
      `\`${name}\``,
      canonical(recorded.settings[name] ?? null),
      canonical(request.settings[name] ?? null),
    )
  }
  differ('the choice of tools', recorded.toolChoice, request.toolChoice)
  const at = request.messages.findIndex(
    ({ sha, role }, n) => sha !== recorded.messages[n]?.sha || role !== recorded.messages[n]?.role,
  )
  const [before, now] = [recorded.messages[at], request.messages[at]]
  if (before && now) found.push(`message ${at + 1} (${now.role}) ${apart(before.text, now.text)}`)
  else
    differ(
      'the number of messages',
      String(recorded.messages.length),
      String(request.messages.length),
    )
  return found
}

/** The first difference between two texts. */
function apart(before: string, now: string): string {
  let at = 0
  while (at < before.length && before[at] === now[at]) at++
  const shown = (text: string): string =>
    JSON.stringify(
      `${at > AROUND ? '…' : ''}${text.slice(Math.max(0, at - AROUND), at + AROUND)}${text.length > at + AROUND ? '…' : ''}`,
    )
  return before === now
    ? 'differs behind what is kept of it'
    : `was ${shown(before)}, and is ${shown(now)}`
}
