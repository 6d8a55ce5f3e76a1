import type { Branch, ChangeReport, Divergence, Step, StepCall } from '../replay/change-report.ts'
import type { EntryDifference } from '../replay/compare.ts'
import { plainLine } from './plain-text.ts'
import { dollars } from './table.ts'

const MOST_ARGS = 120

/** A report for a terminal. */
export function changeLines(report: ChangeReport): readonly string[] {
  const { divergence, drift, entries, journal, problems, session } = report
  const notes = [
    ...(drift
      ? [`    Note: the unchanged agent itself differs from the record at ${entryPlace(drift)}`]
      : []),
    ...problems.map((problem) => `    Note: ${plainLine(problem)}`),
  ]
  if (divergence)
    return [
      `${session}: ${place(divergence)}`,
      ...textLines(divergence),
      ...report.branches.flatMap(branchLines),
      `    ${spent(report)}`,
      ...notes,
    ]
  if (journal)
    return [
      `${session}: the model would have been asked the same, and what came of it differs at ${entryPlace(journal)}`,
      `    unchanged: ${valueOf(journal.recorded)}`,
      `    changed:   ${valueOf(journal.replayed)}`,
      ...notes,
    ]
  return [
    `${session}: no difference: the model would have been asked the same (${entries} entries)`,
    ...notes,
  ]
}

const valueOf = (value: EntryDifference['recorded']): string =>
  value === undefined ? 'nothing' : plainLine(JSON.stringify(value))

const entryPlace = ({ agents, field, kind, seq }: EntryDifference): string =>
  `${[...agents, `entry ${seq}`].join('/')} (${kind}${field === '' ? '' : `, ${field}`})`

const where = (agents: readonly string[]): string =>
  agents.length === 0 ? '' : ` of ${agents.join('/')}`

function place({ agents, file, line, offset, part, plugin, seq, step, what }: Divergence): string {
  const entry = seq === undefined ? '' : ` (entry ${seq})`
  const bytes = offset === undefined ? '' : `, byte ${offset}`
  const owner = plugin === undefined ? '' : ` of plugin ${plugin}`
  const source = file === undefined ? '' : `; ${file}:${line ?? 1}`
  return `differs at step ${step}${where(agents)}${entry}: ${part}, ${what}${owner}${bytes}${source}`
}

function textLines({ excerpt, word }: Divergence): readonly string[] {
  if (!excerpt || !word) return []
  return [
    `    word:   ${quoted(word.before)} → ${quoted(word.after)}`,
    `    before: ${plainLine(excerpt.before)}`,
    `    after:  ${plainLine(excerpt.after)}`,
  ]
}

const quoted = (text: string): string => (text === '' ? 'nothing' : `"${plainLine(text)}"`)

function branchLines({ agents, recorded, replayed }: Branch): readonly string[] {
  const name = agents.length === 0 ? '' : `${agents.join('/')} `
  return [
    `    recorded${where(agents)}:`,
    ...(recorded.length === 0
      ? ['      nothing']
      : recorded.flatMap((step) => stepLines(name, step))),
    `    replayed${where(agents)}:`,
    ...(replayed.length === 0
      ? ['      nothing']
      : replayed.flatMap((step) => stepLines(name, step))),
  ]
}

function stepLines(name: string, { calls, step, text }: Step): readonly string[] {
  const label = `      ${name}step ${step}: `
  const parts = [
    ...(text === '' ? [] : [`"${plainLine(text)}"`]),
    ...calls.map((call) => callText(call)),
  ]
  return parts.length === 0 ? [`${label}nothing`] : parts.map((part) => `${label}${part}`)
}

function callText({ args, by, name }: StepCall): string {
  const call = `${name}(${plainLine(JSON.stringify(args), MOST_ARGS)})`
  switch (by) {
    case undefined:
      return call
    case 'record':
      return `${call}: recorded result`
    case 'files':
      return `${call}: read from the changed folder`
    case 'refused':
      return `${call}: refused, it is not in the record`
    case 'guard':
      return `${call}: refused before it was made`
    case 'agent':
      return `${call}: a sub-agent`
    default:
      return by satisfies never
  }
}

function spent({ cost, modelCalls, refused, stopped }: ChangeReport): string {
  const price = cost === undefined ? 'at a price that is not known' : `for ${dollars(cost)}`
  const calls = refused === 0 ? '' : `; ${refused} ${refused === 1 ? 'call' : 'calls'} refused`
  const end = stopped === undefined ? '' : `; ${stopped}`
  return `The model was asked ${modelCalls} ${modelCalls === 1 ? 'time' : 'times'}, ${price}${calls}${end}`
}
