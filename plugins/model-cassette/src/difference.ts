import { canonical } from '@amodal/sdk'
import { fileOf } from './folder.ts'
import type { Asked } from './request.ts'
import type { Tape } from './tape.ts'

/** Differences that are named, and characters around each. */
const MOST = 4
const AROUND = 50

/** What keeps the nearest of the recordings from being this request. */
export function nearest(asked: Asked, tapes: readonly Tape[]): string {
  const scored = tapes
    .map((tape) => ({ tape, score: likeness(asked, tape.asked) }))
    .sort((a, b) => b.score - a.score)
  const [best] = scored
  if (!best) return 'nothing is recorded'
  const found = differences(best.tape.asked, asked)
  const more = found.length > MOST ? `; and ${found.length - MOST} more` : ''
  return `the nearest is ${fileOf(best.tape.key)}: ${found.slice(0, MOST).join('; ')}${more}`
}

/**
 * Messages in common from the first on count most, since one that differs changes all that follow.
 */
function likeness(a: Asked, b: Asked): number {
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

function differences(kept: Asked, asked: Asked): readonly string[] {
  const found: string[] = []
  const differ = (what: string, before: string, now: string): void => {
    if (before !== now) found.push(`${what} was ${before}, and is ${now}`)
  }
  differ('the model', `${kept.provider}/${kept.model}`, `${asked.provider}/${asked.model}`)
  if (kept.system.sha !== asked.system.sha) {
    found.push(
      kept.system.text === asked.system.text
        ? `the system prompt is another (${kept.system.sha}, now ${asked.system.sha})`
        : `the system prompt ${apart(kept.system.text, asked.system.text)}`,
    )
  }
  for (const name of new Set([...Object.keys(kept.tools), ...Object.keys(asked.tools)])) {
    const [before, now] = [kept.tools[name], asked.tools[name]]
    if (before !== now)
      found.push(
        `the tool ${name} is ${before === undefined ? 'new' : now === undefined ? 'gone' : 'described differently'}`,
      )
  }
  for (const name of new Set([...Object.keys(kept.settings), ...Object.keys(asked.settings)])) {
    differ(
      `\`${name}\``,
      canonical(kept.settings[name] ?? null),
      canonical(asked.settings[name] ?? null),
    )
  }
  differ('the choice of tools', kept.toolChoice, asked.toolChoice)
  const at = asked.messages.findIndex(
    ({ sha, role }, n) => sha !== kept.messages[n]?.sha || role !== kept.messages[n]?.role,
  )
  const [before, now] = [kept.messages[at], asked.messages[at]]
  if (before && now) found.push(`message ${at + 1} (${now.role}) ${apart(before.text, now.text)}`)
  else differ('the number of messages', String(kept.messages.length), String(asked.messages.length))
  return found
}

/** Where two texts part. */
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
