import type { ApiChange, ChangeKind } from './api-change.ts'
import type { Drift } from './drift.ts'

/** Changes that are listed for one connection. */
const MOST_CHANGES = 60
const SIGNS: Readonly<Record<ChangeKind, string>> = {
  breaking: '✗',
  compatible: '+',
  wording: '·',
}

/** How many changes there are of each kind. */
export const countOf = (changes: readonly ApiChange[], kind: ChangeKind): number =>
  changes.filter((change) => change.kind === kind).length

/** Whether the newer document differs in more than what people read. */
export const isDrift = ({ changes, pinned }: Drift): boolean =>
  pinned === undefined || changes.some(({ kind }) => kind !== 'wording')

export const isBreaking = ({ changes, pinned }: Drift): boolean =>
  pinned === undefined || changes.some(({ kind }) => kind === 'breaking')

/** What has changed at a connection, for a person, line by line. */
export function reportLines(drift: Drift): readonly string[] {
  const { changes, connection, from, pinned, served, touched } = drift
  const head = `${connection}  ${from}`
  if (!pinned) return [head, `  ${served.path} is not there yet: there is nothing to compare with`]
  if (pinned.text === served.text) return [head, `  ${pinned.path} is what the address has`]
  const listed = changes.filter(({ kind }) => kind !== 'wording')
  const sorted = [
    ...listed.filter(({ kind }) => kind === 'breaking'),
    ...listed.filter(({ kind }) => kind === 'compatible'),
  ]
  const more = sorted.length - MOST_CHANGES
  return [
    head,
    ...sorted.slice(0, MOST_CHANGES).map(changeLine),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    `  ${countOf(changes, 'breaking')} breaking, ${countOf(changes, 'compatible')} compatible, ${countOf(changes, 'wording')} of texts alone`,
    ...(touched.length > 0 ? ['  Your files that name what has changed:'] : []),
    ...touched.map(({ file, line, names }) => `    ${file}:${line}  ${names}`),
  ]
}

function changeLine({ kind, operation, text }: ApiChange): string {
  const about = operation === undefined || text.includes(operation) ? '' : `${operation}: `
  return `  ${SIGNS[kind]} ${about}${text}`
}

/** The same as data. */
export const reportJson = (drift: Drift): object => {
  const { changes, connection, from, pinned, served, touched } = drift
  return {
    connection,
    from,
    file: served.path,
    pinned: pinned !== undefined,
    breaking: countOf(changes, 'breaking'),
    compatible: countOf(changes, 'compatible'),
    wording: countOf(changes, 'wording'),
    changes: changes.filter(({ kind }) => kind !== 'wording'),
    touched,
  }
}
