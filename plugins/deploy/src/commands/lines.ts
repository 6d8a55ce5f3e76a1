import { short } from '../server/deployed-source.ts'
import { ListAnswer, PointerAnswer, PushedAnswer, StatusAnswer } from '../server/route-shapes.ts'
import type { z } from 'zod'

const FOLDER = "the server's folder"
const named = (id: string | null): string => (id === null ? FOLDER : short(id))

/** Of a push, or of the promotion that followed it. */
export function pushedLines(answer: unknown): readonly string[] {
  const pushed = PushedAnswer.safeParse(answer)
  if (!pushed.success) return pointerLines(answer)
  const { id, added } = pushed.data
  return [added ? `${id} is on the server.` : `${id} was on the server already.`]
}

export function pointerLines(answer: unknown): readonly string[] {
  const { snapshot, canary, percent } = PointerAnswer.parse(answer)
  const share = canary === null ? [] : [`${percent} % of new sessions: ${short(canary)}`]
  return [`new sessions: ${named(snapshot)}`, ...share]
}

export function deploymentLines(answer: unknown): readonly string[] {
  const { deployments } = ListAnswer.parse(answer)
  if (deployments.length === 0) return ['There are no snapshots.']
  return deployments.map(
    ({ id, agent, version, files, size, pushed_at: at, pushed_by: who }) =>
      `${short(id)}  ${agent} ${version}  ${files} files, ${size} bytes  ${at} ${who}`,
  )
}

export function statusLines(answer: unknown): readonly string[] {
  const status = StatusAnswer.parse(answer)
  return [
    ...pointerLines(status),
    `this instance: ${named(status.in_use)}`,
    ...(status.problem === null ? [] : [`problem: ${status.problem}`]),
    ...status.events.map(eventLine),
  ]
}

function eventLine({
  at,
  who,
  what,
  snapshot,
  previous,
  percent,
}: z.output<typeof StatusAnswer>['events'][number]): string {
  const share = percent === null ? '' : ` for ${percent} %`
  const before = what === 'pushed' ? '' : ` (before: ${named(previous)})`
  return `${at}  ${who}  ${what} ${named(snapshot)}${share}${before}`
}
