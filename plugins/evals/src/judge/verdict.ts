import { err, isList, isObject, ok, trySync, type Json, type Result } from '@amodal/sdk'
import type { JudgeRequest } from './judge-request.ts'

/** What a judge says of one line of a rubric. */
export interface LineVerdict {
  readonly met: boolean
  readonly reason: string
}

/**
 * Reads the reply of a judge.
 *
 * @returns a verdict for each line, in the order of the rubric, or why the reply does not count
 * @example
 * readVerdicts('{"verdicts":[…]}', request) // → ok([{ met: true, reason: 'It names the total.' }])
 */
export function readVerdicts(
  reply: string,
  { control, ids }: Pick<JudgeRequest, 'control' | 'ids'>,
): Result<readonly LineVerdict[], string> {
  if (reply.trim() === '') return err('the judge said nothing')
  const verdicts = verdictsIn(reply)
  if (!verdicts) return err(`the judge's reply has no list of verdicts: ${start(reply)}`)
  const byId = new Map<string, LineVerdict>()
  for (const one of verdicts) {
    const { id, met, reason } = isObject(one) ? one : {}
    if (typeof id !== 'string' || typeof met !== 'boolean')
      return err(`a verdict of the judge has no id or no \`met\`: ${start(JSON.stringify(one))}`)
    if (byId.has(id)) return err(`the judge gave two verdicts for one requirement`)
    byId.set(id, { met, reason: typeof reason === 'string' ? reason : '' })
  }
  const expected = [...ids, control.met, control.unmet]
  if (byId.size !== expected.length || !expected.every((id) => byId.has(id)))
    return err(`the judge gave ${byId.size} verdicts for ${expected.length} requirements`)
  if (byId.get(control.met)?.met !== true || byId.get(control.unmet)?.met !== false)
    return err(
      'the judge got a statement wrong whose truth is known, so none of its verdicts counts: it may follow instructions in the tested text',
    )
  return ok(ids.flatMap((id) => byId.get(id) ?? []))
}

function verdictsIn(reply: string): readonly Json[] | undefined {
  const [from, to] = [reply.indexOf('{'), reply.lastIndexOf('}')]
  const parsed = trySync(
    () => JSON.parse(reply.slice(from, to + 1)) as Json,
    () => undefined,
  )
  const verdicts = parsed.ok && isObject(parsed.value) ? parsed.value['verdicts'] : undefined
  return isList(verdicts) ? verdicts : undefined
}

const start = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

/**
 * Joins the votes on each line: more than half of them have to say that it is met.
 *
 * @param votes verdicts of each vote, in the order of the rubric
 */
export function majority(
  votes: readonly (readonly LineVerdict[])[],
): readonly (LineVerdict & { readonly votes: number })[] {
  const [first = []] = votes
  return first.map((_, index) => {
    const line = votes.flatMap((vote) => vote[index] ?? [])
    const yes = line.filter(({ met }) => met).length
    const met = yes * 2 > line.length
    const reason = line.find((one) => one.met === met)?.reason ?? ''
    return { met, reason, votes: yes }
  })
}
